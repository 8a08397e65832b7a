// SPDX-License-Identifier: BSD-3-Clause
//
// The library view: shows a running program in a web browser. A server (HTTP and WebSocket, Boost's Beast) sends
// pictures, curves and texts to any number of pages, and hands what a page asks for to a callback. It knows no MPI, no
// lattice and no flow, stores what it is given and returns at once: a slow or hostile page can't delay the program.
// The page itself is web/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "view/picture.hpp"

namespace weft::view {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IP address of this machine; 0.0.0.0 or ::, all of them
  std::uint16_t port = 0;             ///< 0: any that is free
  bool open = false;                  ///< on loopback no token is asked for: other users of this machine can steer
  int most_watchers = 16;             ///< beyond: 503
  int most_connections = 64;          ///< watchers, and those who load the page
  std::size_t most_rows = 2000;       ///< of the monitors; beyond, every other one is forgotten
  int jpeg_quality = 85;
};

/// Serves the viewer's page, and shows it what a running program is doing.
///
/// Web browsers come and go; each is told the newest of each kind when it can take it, so a slow one sees fewer
/// pictures and never makes anything grow. Nothing here waits for the network: a call stores what it is given and
/// returns. Any thread may call. docs/view.md has the protocol and who may connect.
///
/// Two threads: one for the network, one that makes JPEG of pictures.
class Server {
 public:
  /// What a watcher asks for, as JSON of at most 64 KiB; not yet looked at. Called in the network's thread, so it
  /// should only check and remember. Returns "" if it is taken, else why not, which the watcher is told.
  using Accept = std::function<std::string(std::string_view json)>;

  /// Listens from here on. Throws InputError if it can't.
  Server(const ServerOptions& options, Accept accept);
  /// Sends what was said last to those who take it within a second, and says good-bye.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Who is asked from now on. Returns when the one before is no longer in use; not to be called from within it.
  void accept(Accept accept);
  /// The page that "/" is from now on: "/index.html" shows a run, and is what it begins with.
  void front(std::string path);
  /// Serves this at a path of its own to who may watch; a later one replaces it.
  void offer(std::string path, std::string type, std::shared_ptr<const std::string> content);

  /// For a person; with the token where one is asked for.
  const std::string& url() const;
  /// Watchers that are connected.
  int watchers() const;
  /// Somebody watches and could take a picture now: the last one is encoded and on its way.
  bool wants_picture() const;

  /// What a watcher has to know first: {"type":"hello",...}. A new one replaces it, and is sent to all.
  void hello(std::string json);
  /// {"type":"state",...}; the newest wins. This and rows leave 20 times a second at most, however often they are said.
  void state(std::string json);
  /// A point of every curve, in the order of hello's columns; what is not finite is sent as null.
  void row(std::span<const double> values);
  /// The newest wins. Dropped if nobody watches.
  void picture(Picture picture);
  /// The curves begin anew.
  void forget_rows();
  /// A sentence for all who watch now.
  void notice(std::string_view text);

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace weft::view
