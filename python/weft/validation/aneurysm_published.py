# SPDX-License-Identifier: BSD-3-Clause
"""Publications on steady laminar flow in fusiform aneurysms: the numbers in their abstracts.

Budwig, Elger, Hooper, Slippy, J. Biomech. Eng. 115 (1993) 418: experiments and computations, four sizes, Re 500 to 2,600.
    The stress at the wall in the recirculation is about ten times less than in the entrance tube, and has large peaks near the
    reattachment at the distal end.
Bluestein, Niu, Schoephoerster, Dewanjee, J. Biomech. Eng. 118 (1996) 280: computations and particle images, Re 300 to 3,600.
    That stress is around one order of magnitude less than in the entrance; a pronounced peak at the distal reattachment; as Re rises in laminar flow
    the centre of the recirculation goes towards the distal end.
Yu, Int. J. Heat Fluid Flow 21 (2000) 74: particle images, Re 400 to 1,400.
    One vortex fills the bulge, its core nearer to the distal end; its strength rises with Re up to at most 10 % of the bulk flow in the tube.
Asbury, Ruberti, Bluth, Peattie, Ann. Biomed. Eng. 23 (1995) 29: models with a length of 4 d and largest diameters of 1.4 to 3.3 d.
"""

LENGTH = 4.0               # of the bulge, diameters of the tube: Asbury et al.
DILATION = 2.0             # the largest diameter, within 1.4 to 3.3 of Asbury et al.
TIMES_LESS = 10.0          # Budwig et al., Bluestein et al.: "about", no uncertainty given
LARGEST_STRENGTH = 0.10    # Yu
