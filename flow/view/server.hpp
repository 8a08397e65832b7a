// SPDX-License-Identifier: BSD-3-Clause
//
// The library view: shows a running program in a web browser. A server (HTTP and WebSocket, Boost's Beast) sends
// pictures, curves and texts to any number of pages, and passes the pages' requests to a callback. It contains no MPI,
// lattice or flow; its calls store their data and return at once: a slow or hostile page can't delay the program. The
// page itself is in web/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "view/encoder.hpp"

namespace weft::view {

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IP address of this machine; 0.0.0.0 or :: for all of them
  std::uint16_t port = 0;             ///< 0: any that is free
  bool open = false;                  ///< on loopback no token is required: other users of this machine can steer
  int most_watchers = 16;             ///< beyond: 503
  int most_connections = 64;          ///< watchers, and clients that load the page
  std::size_t most_rows = 2000;       ///< of the monitors; above this, every other one is deleted
  int jpeg_quality = 85;
};

/// Serves the viewer's page, which shows the state of a running program.
///
/// Browsers may connect and disconnect; each gets the newest message of each kind when it is ready, so a slow browser
/// gets fewer pictures and no queue grows. No call waits for the network: it stores its data and returns. Any thread
/// may call. docs/view.md has the protocol and the rules of access.
///
/// Two threads: one for the network, one that encodes pictures as JPEG.
class Server {
 public:
  /// A request of a watcher, as JSON of at most 64 KiB, not validated. Called in the network's thread, so it should
  /// only validate and store it. Returns "" if it is accepted, else the reason, which is sent to the watcher.
  using Accept = std::function<std::string(std::string_view json)>;

  /// Starts listening. Throws InputError if it can't.
  Server(const ServerOptions& options, Accept accept);
  /// Sends the last messages to watchers that take them within one second, and closes the connections.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Replaces the callback for requests. Returns when the previous one is no longer in use; must not be called from
  /// within it.
  void accept(Accept accept);
  /// Sets the page at "/": "/index.html" shows a run, and is the default.
  void front(std::string path);
  /// Serves data at a path to authorised clients; a later call replaces them.
  void offer(std::string path, std::string type, std::shared_ptr<const std::string> content);

  /// The address to open; with the token if one is required.
  const std::string& url() const;
  /// The number of connected watchers.
  int watchers() const;
  /// Whether a watcher is ready for a picture: the last one is encoded and sent.
  bool wants_picture() const;

  /// The first message to a watcher: {"type":"hello",...}. A new one replaces it, and is sent to all.
  void hello(std::string json);
  /// {"type":"state",...}; only the newest is sent. States and rows are sent at most 20 times per second, however often
  /// they are set.
  void state(std::string json);
  /// A point of every curve, in the order of hello's columns; values that are not finite are sent as null.
  void row(std::span<const double> values);
  /// Only the newest is sent. Dropped if there is no watcher.
  void picture(Picture picture);
  /// Deletes all points of the curves.
  void forget_rows();
  /// A sentence for all present watchers.
  void notice(std::string_view text);

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace weft::view
