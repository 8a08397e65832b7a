// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mailbox/mailbox.hpp"

#include "c/objects.hpp"

namespace weft::c {

struct MailboxObject {
  Mailbox mailbox;
};

}  // namespace weft::c

using namespace weft::c;

int weft_mailbox_create(weft_comm comm, const weft_mailbox_options* given, weft_mailbox* mailbox) {
  return call(__func__, [&] {
    need(mailbox, "The address of the mailbox");
    const auto of = options_of<weft_mailbox_options>(given, "weft_mailbox_options");
    weft::MailboxOptions options{.bucket_bytes = of.bucket_bytes};
    if (of.buckets_per_peer != 0) options.buckets_per_peer = of.buckets_per_peer;
    const auto transport = transport_of(comm);
    *mailbox =
        handle_of<weft_mailbox>(std::shared_ptr<MailboxObject>(new MailboxObject{weft::Mailbox(*transport, options)}));
  });
}

int weft_mailbox_free(weft_mailbox* mailbox) {
  return call(__func__, [&] {
    if (mailbox != nullptr && *mailbox != nullptr) check_idle(&get(*mailbox), "mailbox");
    take(mailbox);
  });
}

int weft_mailbox_on(weft_mailbox mailbox, uint32_t type, weft_handler handler, void* context) {
  return call(__func__, [&] {
    need(handler, "The handler");
    auto& of = get(mailbox);
    of.mailbox.on_bytes(type, [=, &of](int from, weft::Mailbox::Payload data) {
      call_back(
          &of, [&] { return "The handler of type " + std::to_string(type); }, handler, context, from,
          static_cast<const void*>(data.data()), data.size());
    });
  });
}

int weft_mailbox_post(weft_mailbox mailbox, int rank, uint32_t type, const void* data, size_t bytes) {
  return call(__func__, [&] {
    auto& of = get(mailbox).mailbox;
    check_mpi();
    product_of(bytes, 2, "A message");
    if (bytes > 0) need(data, "The data of a message");
    of.post_bytes(rank, type, {static_cast<const std::byte*>(data), bytes});
  });
}

int weft_mailbox_poll(weft_mailbox mailbox) {
  return call(__func__, [&] { get(mailbox).mailbox.poll(); });
}

int weft_mailbox_drain(weft_mailbox mailbox) {
  return call(__func__, [&] {
    auto& of = get(mailbox).mailbox;
    check_mpi();
    of.drain();
  });
}

int weft_mailbox_counts(weft_mailbox mailbox, int64_t* posted, int64_t* handled) {
  return call(__func__, [&] {
    const auto& of = get(mailbox).mailbox;
    give(posted, of.posted());
    give(handled, of.handled());
  });
}
