// scratch: scalar stand-in
#include "lattice/dense_lattice.hpp"
#include "lattice/d3q19.hpp"
#include "lattice/collision.hpp"
namespace weft::lattice {
struct DenseLattice::Data {
  Extent block; DenseParameters p; Extent size; std::size_t stride; std::vector<double> f; bool odd=false;
  std::vector<std::array<int,3>> v; std::vector<double> w; Relaxation relax;
  std::size_t at(Site s,int i) const { return std::size_t(i)*stride + std::size_t(((s[0]+1)*std::ptrdiff_t(size[1])+s[1]+1)*std::ptrdiff_t(size[2])+s[2]+1);}
};
using M=D3Q19;
static DenseLattice::Site plus(DenseLattice::Site s,int i,int sign){for(std::size_t a=0;a<3;++a)s[a]+=sign*M::velocity[std::size_t(i)][a];return s;}
DenseLattice::DenseLattice(const Extent&b,const DenseParameters&p):data_(new Data){auto&d=*data_;d.block=b;d.p=p;for(int a=0;a<3;++a)d.size[std::size_t(a)]=b[std::size_t(a)]+2;d.stride=d.size[0]*d.size[1]*d.size[2];d.f.assign(19*d.stride,0);for(int i=0;i<19;++i){d.v.push_back(M::velocity[std::size_t(i)]);d.w.push_back(M::weight[std::size_t(i)]);for(std::size_t k=0;k<d.stride;++k)d.f[std::size_t(i)*d.stride+k]=M::weight[std::size_t(i)];}
 d.relax={1/p.tau,1/(p.magic/(p.tau-.5)+.5),{p.force[0],p.force[1],p.force[2]}};}
DenseLattice::~DenseLattice()=default; DenseLattice::DenseLattice(DenseLattice&&)noexcept=default; DenseLattice&DenseLattice::operator=(DenseLattice&&)noexcept=default;
const DenseLattice::Extent& DenseLattice::block()const{return data_->block;} std::size_t DenseLattice::dimensions()const{return 3;} std::size_t DenseLattice::bytes()const{return data_->f.size()*8;}
DenseLattice::Layout DenseLattice::layout()const{return {reinterpret_cast<std::byte*>(data_->f.data()),8,19,data_->stride,data_->size[2]};}
const std::vector<std::array<int,3>>&DenseLattice::velocities()const{return data_->v;} const std::vector<double>&DenseLattice::weights()const{return data_->w;}
int DenseLattice::opposite(int i)const{return M::opposite(i);} std::size_t DenseLattice::group()const{return 1;}
void DenseLattice::initialise(const std::function<State(const Site&)>&st){for(std::ptrdiff_t x=0;x<std::ptrdiff_t(data_->block[0]);++x)for(std::ptrdiff_t y=0;y<std::ptrdiff_t(data_->block[1]);++y)for(std::ptrdiff_t z=0;z<std::ptrdiff_t(data_->block[2]);++z){auto s=st({x,y,z});Moments<double> m{s.density,{s.velocity[0],s.velocity[1],s.velocity[2]}};double f[19];equilibrium<M>(m,f);for(int i=0;i<19;++i)data_->f[data_->at({x,y,z},i)]=f[i];}data_->odd=false;}
bool DenseLattice::gives_back()const{return data_->odd;}
void DenseLattice::update(const Extent&a,const Extent&n){auto&d=*data_;for(std::size_t x=a[0];x<a[0]+n[0];++x)for(std::size_t y=a[1];y<a[1]+n[1];++y)for(std::size_t z=a[2];z<a[2]+n[2];++z){Site s{std::ptrdiff_t(x),std::ptrdiff_t(y),std::ptrdiff_t(z)};double f[19];
 for(int i=0;i<19;++i)f[i]=d.f[d.odd?d.at(plus(s,i,-1),M::opposite(i)):d.at(s,i)];
 auto m=moments<M,true>(f,d.relax);Trt<M,true>::collide(f,m,d.relax);
 for(int i=0;i<19;++i)d.f[d.odd?d.at(plus(s,i,1),i):d.at(s,M::opposite(i))]=f[i];}}
void DenseLattice::finish_step(){data_->odd=!data_->odd;}
DenseLattice::Link DenseLattice::link(const Site&s,int i)const{return {data_->at(s,M::opposite(i)),data_->at(plus(s,i,1),i),i};}
double DenseLattice::outgoing(const Link&l)const{return data_->f[data_->odd?l.far:l.near];}
void DenseLattice::set_incoming(const Link&l,double v){data_->f[data_->odd?l.near:l.far]=v;}
void DenseLattice::bounce(std::size_t a,int side,const std::array<double,3>&u){auto&d=*data_;Extent first{},n=d.block;first[a]=side<0?0:d.block[a]-1;n[a]=1;
 for(std::size_t x=first[0];x<first[0]+n[0];++x)for(std::size_t y=first[1];y<first[1]+n[1];++y)for(std::size_t z=first[2];z<first[2]+n[2];++z)for(int i=1;i<19;++i){auto&c=M::velocity[std::size_t(i)];if(c[a]!=side)continue;auto l=link({std::ptrdiff_t(x),std::ptrdiff_t(y),std::ptrdiff_t(z)},i);set_incoming(l,outgoing(l)-6*d.w[std::size_t(i)]*(c[0]*u[0]+c[1]*u[1]+c[2]*u[2]));}}
DenseLattice::Content DenseLattice::leaving(const Site&s)const{auto&d=*data_;Content c{};for(int i=0;i<19;++i){auto t=d.odd?plus(s,i,1):s;bool in=true;for(std::size_t a=0;a<3;++a)in=in&&t[a]>=-1&&t[a]<=std::ptrdiff_t(d.block[a]);if(!in)continue;double f=d.f[d.odd?d.at(t,i):d.at(s,M::opposite(i))];c.mass+=f;for(std::size_t a=0;a<3;++a)c.momentum[a]+=f*M::velocity[std::size_t(i)][a];}return c;}
void DenseLattice::set(const Site&s,const State&st){auto&d=*data_;Moments<double> m{st.density,{st.velocity[0],st.velocity[1],st.velocity[2]}};double f[19];equilibrium<M>(m,f);for(int i=0;i<19;++i){auto t=d.odd?plus(s,i,1):s;bool in=true;for(std::size_t a=0;a<3;++a)in=in&&t[a]>=-1&&t[a]<=std::ptrdiff_t(d.block[a]);if(in)d.f[d.odd?d.at(t,i):d.at(s,M::opposite(i))]=f[i];}}
DenseLattice::State DenseLattice::state(const Site&s)const{auto&d=*data_;double f[19];bool next_odd=d.odd;for(int i=0;i<19;++i)f[i]=d.f[next_odd?d.at(plus(s,i,-1),M::opposite(i)):d.at(s,i)];auto m=moments<M,true>(f,d.relax);return {m.density,{m.velocity[0],m.velocity[1],m.velocity[2]}};}
}
