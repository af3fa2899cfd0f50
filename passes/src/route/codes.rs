//! Diagnostic codes of the router.

aiec_diag::codes! {
    /// All codes of the router.
    pub static CODES;
    BAD_END = "route::bad-end",
        "An end of a flow isn't a port that exists: its operand isn't a placed tile, the tile has \
         no such bundle on that side, or the channel number is too large. Sources are inputs of \
         the tile's stream switch (what the core, a DMA's MM2S channel or a trace unit drives), \
         destinations are outputs. Use one of the ports that the help lists.";
    PACKET_ID = "route::packet-id",
        "A packet header holds five bits of id, so ids go from 0 to 31. Use a smaller id; ids \
         need to differ only between flows that meet at a port.";
    TAKEN_SINK = "route::destination-taken",
        "Two circuit-switched streams, or a circuit and a packet stream, end in one port. A \
         circuit has its ports for itself. Use another channel, or make both packet flows.";
    MIXED_SOURCE = "route::circuit-and-packet",
        "One source port has circuit-switched flows and packet flows. A port is switched in one \
         of the two ways. Use another channel, or make all of them packet flows.";
    FIXED = "route::fixed-in-the-way",
        "A connection written by hand in a switchbox uses a port that a flow needs, but doesn't \
         carry the flow to where it should go. Hand-written settings are kept as they are. \
         Remove them, complete them by hand, or let the flow use another port.";
    SHIM_MUX = "route::shim-mux",
        "The multiplexer of a shim tile connects a South port of the switch to one of DMA, NoC \
         and PL, at fixed places. Two flows (or a flow and a hand-written shim_mux) want \
         different ones for one South port. Use a channel that is wired elsewhere.";
    HEADER = "route::header-conflict",
        "Packet flows that end in one port disagree about keep_pkt_header. The header is kept or \
         dropped for a port, not for a flow. Make them agree, or use another channel.";
    UNREACHABLE = "route::unreachable",
        "The switches have no connection that leads from the source to the destination, even in \
         an empty array. Some ports have few connections: a trace unit only reaches the south \
         and one DMA channel, a mem tile's own DMA only the same channel.";
    CONGESTED = "route::congested",
        "The flows need more ports than there are, and that is proved: more streams must cross the \
         border of some tiles than wires do, or an exhaustive search of all routes found none. The \
         message names the wires and the flows that compete for them. Fewer flows there help: \
         another column or channel, packet flows instead of circuits, or data passed through a \
         mem tile or shared memory.";
    GAVE_UP = "route::gave-up",
        "No routing was found within the rounds that the router negotiates. No count of wires \
         proves that there is none, and the exhaustive search ended at the limit that the message \
         names: one may exist. The message names the ports that were still wanted by several \
         flows. Fewer flows there help: another column or channel, packet flows instead of \
         circuits, or data passed through a mem tile.";
    RULE_SLOTS = "route::rule-slots",
        "An input of a stream switch has four packet rules; a rule matches all ids that agree \
         with a value under a mask. The ids that arrive there go to more different places \
         than four rules can't tell them apart. Give ids that go the same way numbers in one \
         aligned block (0-3, 4-7, …), or use fewer ids on one channel.";
    ARBITERS = "route::arbiters",
        "A stream switch has a few arbiters with four msels each; outputs that a packet goes to \
         together share an arbiter, and each different set of such outputs needs an msel. Here \
         there are too many different sets. Let multicast packet flows have equal \
         destinations, or use fewer of them. Arbiters 0 to 5 are used; --arbiters=8 allows the two \
         more that switches of AIE2 and later have.";
    EXTRA_ARBITERS = "route::extra-arbiters",
        "No routing was found with arbiters 0 to 5 of each stream switch, so arbiters 6 and 7 are \
         used too, as --arbiters=8 allows. Switches of AIE2 and later have them, but \
         mlir-aie's verifier refuses aie.amsel beyond 5, so its tools can't read this routing. \
         With fewer packet flows through the switches that are named, six arbiters do.";
    CIRCULAR = "route::circular-wait",
        "A packet occupies the switch inputs and arbiters that it is in until its last word has \
         passed. The packets named here could each occupy what another one waits for, so that \
         none moves on, even if all destinations accept what arrives. The message shows a cycle of \
         few: what each can occupy and what it waits for. The router looks for routes and arbiters \
         without such cycles and found none. Two packet flows that both go to the same \
         two destinations often make one. In settings written by hand it is a warning, as a run may pass while \
         the times of its packets are in favour. Make one of them a circuit, split a flow with several \
         destinations, or end one at another channel or column.";
    MEMORY_WAIT = "route::memory-wait",
        "Packets of these flows share an arbiter or a port of a stream switch: hand-written settings \
         say so, or there are more of them than arbiters. A packet occupies it until its destination has accepted it. Here a \
         destination can have no room until packets of another one of these flows have arrived \
         (the buffers and locks in between say so), and those wait for the same arbiter: then \
         nothing moves any more. Runs may complete all the same as long as the times of the packets \
         are in favour. Let them have arbiters of their own, make some flows circuits, route some through another tile, or \
         give the buffers between them more room.";
    SURPLUS = "route::surplus-words",
        "Hand-written settings lead packets to a receiver whose transfers end before those of the sender: more words are sent \
         than taken. Some find room on their way, the others stay in a switch, and the packet occupies the arbiter and \
         the input that it came by. Packets of other flows that come there later never pass. Let descriptors \
         of sender and receiver have the same lengths (a header that is kept counts as a word), or give the flows arbiters of \
         their own.";
    SHARED = "route::shared-port",
        "Packet flows without a common source or destination share a port because there is no \
         other way. If the receiver of one waits for data of the other, both can get stuck. \
         Make sure that each destination always accepts its packets, or use fewer flows.";
    CHECK = "route::check",
        "The independent check of a routing found that the switch settings don't do what the \
         flows ask for. After a routing of ours this is a defect of the router.";
}
