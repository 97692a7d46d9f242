// A whole engine for the Paintover frame protocol (docs/PROTOCOL.md) against libzmq alone:
//     c++ -std=c++17 -O2 -o engine engine.cpp -lzmq && ./engine ipc:///tmp/paintover.sock 10
// It draws a road, a sky and a car that moves, and plays for so many seconds.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#include <zmq.h>
using std::string;
using Fields = std::map<string, string>;  // name -> the msgpack bytes of its value
enum { HELLO = 1, FRAME, CONTROL, ACK, WELCOME = 16, CREDIT, PICTURE, RECEIPT, PING = 32, PONG, BYE, ERROR };
enum { W = 448, H = 256, FPS = 60, GROUND = 0, TRACK, AIR, OPPONENT };
const std::map<int, string> KNOWN = {  // what a renderer sends, and the fields of each
    {WELCOME, " renderer attempt session resumed generation table_name table_hash encoding planes run first_run window"
              " heartbeat_ms dead_ms chunk last_seq last_tick notes "},
    {PICTURE, " generation seq tick chunk width height encoding stamps renderer_stamps "}, {PING, " id time "},
    {CREDIT, " generation grant frames "}, {RECEIPT, " id generation stage chunk text "}, {BYE, " text "},
    {PONG, " id time received sent "}, {ERROR, " code name text fatal about_type about_seq about_grant details "}};
// --- msgpack, as much of it as a header needs
string big(uint64_t v, int n) { string s; while (n--) s += char(v >> 8 * n & 255); return s; }
uint64_t small(const string &s, size_t i, int n) { uint64_t v = 0; while (n--) v = v << 8 | uint8_t(s[i++]); return v; }
string number(uint64_t v) { return "\xcf" + big(v, 8); }
string text(const string &s) { return "\xd9" + big(s.size(), 1) + s; }
string bin(const string &s) { return "\xc4" + big(s.size(), 1) + s; }
string list(std::vector<string> v) { string s = "\xdc" + big(v.size(), 2); for (auto &i : v) s += i; return s; }
string dict(Fields f) { string s = "\xde" + big(f.size(), 2); for (auto &i : f) s += text(i.first) + i.second; return s; }
size_t skip(const string &s, size_t at, int depth = 1) {  // where the value at `at` ends; npos if it is not legal
    static const int SIZE[] = {-9, -9, 0, 0, -1, -2, -4, -9, -9, -9, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, -9, -9, -9, -9, -9,
                               -1, -2, -4, -2, -4, -2, -4};  // 0xc0 to 0xdf; below 0: a length of so many bytes
    int c = at < s.size() && depth <= 6 ? uint8_t(s[at++]) : 0xc1;
    if (c < 0x80 || c >= 0xe0) return at;
    int size = c < 0xa0 ? c & 15 : c < 0xc0 ? c & 31 : SIZE[c - 0xc0], wide = size < 0 ? -size : 0;
    if (wide > 4 || wide > int(s.size() - at)) return string::npos;
    uint64_t n = wide ? small(s, at, wide) : size;
    at += wide;
    if (c >= 0xa0 && c < 0xdc) return n <= s.size() - at ? at + n : string::npos;
    for (n *= c < 0x90 || c >= 0xde ? 2 : 1; n-- && at != string::npos;) at = skip(s, at, depth + 1);
    return at;
}
uint64_t value(Fields &f, const string &name) {  // of an unsigned field; 0 if there is none
    int c = f.count(name) ? uint8_t(f[name][0]) : 0;
    return c < 0x80 ? c : c >= 0xcc && c <= 0xcf ? small(f[name], 1, 1 << (c - 0xcc)) : 0;
}
bool read_map(const string &s, Fields &f) {
    if (s.empty() || s.size() > 65536 || skip(s, 0) != s.size()) return false;
    int c = uint8_t(s[0]), n = c >= 0x80 && c < 0x90 ? c & 15 : c == 0xde ? int(small(s, 1, 2)) : -1;
    for (size_t at = c == 0xde ? 3 : 1; n > 0; n--) {
        size_t middle = skip(s, at), end = skip(s, middle);
        int k = uint8_t(s[at]), before = k < 0xc0 ? 1 : k < 0xd9 ? 0 : 1 + (1 << (k - 0xd9));
        if (k < 0xa0 || k > 0xdb || !before) return false;  // keys are str
        if (!f.emplace(s.substr(at + before, middle - at - before), s.substr(middle, end - middle)).second) break;
        at = end;
    }
    return n == 0;
}
void *sock; volatile std::sig_atomic_t stop, is_open, held;  // --- the engine
string token, class_map(W * H, GROUND);
uint64_t attempt, seq, tick, skipped, drawn, pictures, heard, spoke, greet_at, turn, heartbeat = 250, dead = 1000;
std::vector<std::pair<uint64_t, uint64_t>> grants;  // number, frames left
uint64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
uint64_t now() { return now_ns() / 1000000; }
void lose(uint64_t wait = 0) { is_open = false, grants.clear(), greet_at = now() + wait; }
void give_up(uint64_t n) { for (size_t k = grants.size(); k--;) if (grants[k].first == n) grants.erase(grants.begin() + k); }
void send(int type, const Fields &fields, const string *body = nullptr) {
    string header = dict(fields), tag = "PFP\x01" + big(type, 1);
    if (spoke = now(), zmq_send(sock, tag.data(), 5, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) return;
    zmq_send(sock, header.data(), header.size(), body ? ZMQ_SNDMORE : 0);
    if (body) zmq_send(sock, body->data(), body->size(), 0);
}
void refuse(int code, string why) { send(ERROR, {{"code", number(code)}, {"name", why}, {"text", why}, {"fatal", "\xc2"}}); }
string row(int id, string name) { return list({number(id), text(name), list({3, number(60 * id)})}); }
void greet() {  // with our own four classes, mapped onto the renderer's by name
    string rows = list({row(GROUND, "ground"), row(TRACK, "track"), row(AIR, "air"), row(OPPONENT, "opponent")});
    Fields f = {{"engine", text("C++ example")}, {"instance", bin("C++-only")}, {"attempt", number(++attempt)},
        {"mode", text("play")}, {"width", number(W)}, {"height", number(H)}, {"rate", list({number(FPS), number(1)})},
        {"tick_rate", number(120)}, {"form", text("ids")}, {"encodings", list({text("raw")})}, {"planes", list({})},
        {"generation", number(0)}, {"next_seq", number(seq - held)}, {"mapping", dict({{"ground", text("grass")},
        {"track", text("road")}, {"air", text("sky")}, {"opponent", text("rival_car")}})},
        {"table", dict({{"name", text("cpp-1")}, {"hash", text("b81ce5db4a6c153c")}, {"classes", rows}})}};
    if (!token.empty()) f["resume"] = bin(token);
    send(HELLO, f), lose(100);
}
void send_frame() {  // the held one, if there is credit
    if (!is_open || !held || grants.empty()) return;
    send(FRAME, {{"generation", number(0)}, {"grant", number(grants[0].first)}, {"seq", number(seq - 1)},
        {"tick", number(tick)}, {"skipped", number(skipped)}, {"encoding", text("raw")}, {"planes", list({})},
        {"plane_encodings", list({})}, {"stamps", dict({{"drawn", number(drawn)}})}, {"last", "\xc2"}}, &class_map);
    if (held = false, --grants[0].second == 0) grants.erase(grants.begin());
}
void draw() {
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++)
        class_map[y * W + x] = y < H / 3 ? AIR : std::abs(x - W / 2) < y - H / 3 ? TRACK : GROUND;
    for (int y = H / 2; y < H / 2 + 24; y++) class_map.replace(y * W + tick % (W - 40), 40, 40, OPPONENT);
    skipped += held, held = true, seq++, tick += 120 / FPS, drawn = now_ns();
}
int fault(const string &tag, bool legal, const Fields &f) {  // number of what is wrong with a message, or 0
    if (tag.size() != 5 || tag.compare(0, 3, "PFP")) return 101;
    if (tag[3] != 1 && tag[4] != ERROR) return 102;
    if (!KNOWN.count(tag[4])) return tag[4] >= HELLO && tag[4] <= ACK ? 306 : 103;
    for (auto &i : f)
        if (i.first.compare(0, 2, "x-") && KNOWN.at(tag[4]).find(" " + i.first + " ") == string::npos) return 106;
    return legal ? 0 : 104;
}
void take(const string &tag, const string &header) {
    Fields f;
    int wrong = fault(tag, read_map(header, f), f), type = tag.size() == 5 ? tag[4] : 0;
    uint64_t code = wrong ? 0 : value(f, "code");
    if (wrong) return type == ERROR ? void() : refuse(wrong, text("illegal"));
    heard = now();
    if (type == WELCOME && !is_open && value(f, "attempt") == attempt && f["session"].size() == 18)
        is_open = 1, token = f["session"].substr(2), heartbeat = value(f, "heartbeat_ms"), dead = value(f, "dead_ms");
    else if (type == BYE || code == 200) lose();
    else if (Fields d; code == 205 || code == 207)
        read_map(f["details"], d), lose(std::min<uint64_t>(value(d, "retry_ms") + 1, 10000));
    else if (type == ERROR && f["fatal"] == "\xc3") std::fprintf(stderr, "%s\n", f["text"].c_str()), stop = 2;
    else if (!is_open) return;
    else if (type == CREDIT && !value(f, "generation")) grants.emplace_back(value(f, "grant"), value(f, "frames"));
    else if (type == PICTURE) pictures++, send(ACK, {{"acknowledged", f["seq"]}});
    else if (type == PING) f["received"] = f["sent"] = number(now_ns()), send(PONG, f);
    else if (f.count("about_grant")) give_up(value(f, "about_grant"));
}
int main(int count, char **words) {
    void *context = zmq_ctx_new(); sock = zmq_socket(context, ZMQ_DEALER);
    int linger = 200, one = 1, k = 0, more = 0;
    zmq_setsockopt(sock, ZMQ_LINGER, &linger, sizeof linger), zmq_setsockopt(sock, ZMQ_IMMEDIATE, &one, sizeof one);
    if (count < 2 || zmq_connect(sock, words[1])) return std::fprintf(stderr, "usage: engine ADDR [SECONDS]\n"), 2;
    std::signal(SIGINT, [](int) { stop = 1; }), std::signal(SIGTERM, [](int) { stop = 1; });
    uint64_t due = now_ns(), end = due + uint64_t(count > 2 ? std::stod(words[2]) * 1e9 : 1e18);
    while (!stop && now_ns() < end) {
        zmq_pollitem_t item = {sock, 0, ZMQ_POLLIN, 0};
        zmq_poll(&item, 1, now_ns() < due ? (due - now_ns()) / 1000000 + 1 : 0);
        uint64_t t = now();  // read once: we may be suspended anywhere, and are heard again a turn later
        heard += std::max(t - turn, heartbeat) - heartbeat, turn = t;
        for (string parts[2]; item.revents & ZMQ_POLLIN; take(parts[0], parts[1]), zmq_poll(&item, 1, 0))
            for (k = 0, more = 1; more; k++) {
                static char buffer[65537];  // longer frames are cut: this engine only counts the pictures
                size_t n = zmq_recv(sock, buffer, sizeof buffer, 0), size = sizeof more;
                if (k < 2) parts[k].assign(buffer, std::min(n, sizeof buffer));
                zmq_getsockopt(sock, ZMQ_RCVMORE, &more, &size);
            }
        if (now_ns() >= due) draw(), due = std::max(due + 1000000000 / FPS, now_ns() - 1000000000 / FPS);
        send_frame();
        if (t = now(); is_open && t > heard + dead && t - turn < heartbeat) lose(); else if (!is_open && t >= greet_at) greet();
        if (is_open && now() - spoke > heartbeat) send(PING, {{"id", number(seq)}, {"time", number(now_ns())}});
    }
    send(BYE, {{"text", text("the C++ engine ends")}}), std::printf("%d frames, %d pictures\n", int(seq), int(pictures));
    return zmq_close(sock), zmq_ctx_term(context), stop == 2;
}
