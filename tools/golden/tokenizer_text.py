"""The text that the tokenizer goldens are made of: invented, in many scripts, and nasty on purpose."""

import random

SCRIPTS = {
    "latin": "abcdefghijklmnopqrstuvwxyz",
    "accents": "àâäåæçèéêëìîïñòôöøùûüýÿßœšžđłģķńőűğışțăēīōū",
    "greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґёђљњ",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשתךםןףץ",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىپچژگ",
    "devanagari": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंः",
    "bengali": "কখগঘচছজঝটঠডঢণতথদধনপফবভমযরলশষসহািীুূেৈোৌ্",
    "tamil": "கஙசஞடணதநபமயரலவழளறனாிீுூெேைொோௌ்",
    "thai": "กขคงจฉชซญดตถทธนบปผฝพฟภมยรลวศสหอะาิีึืุูเแโใไ่้๊๋",
    "georgian": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
    "armenian": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
    "hiragana": "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐ",
    "katakana": "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲンー",
    "han": "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后",
    "hangul": "가나다라마바사아자차카타파하국어한글말은는이가을를에서로와과도만",
    "ethiopic": "ሀለሐመሠረሰሸቀበተኀነአከወዘየደገጠጸፈ",
}
ENGLISH = """the of and to in is you that it he was for on are with as his they be at one have this from or
had by hot but some what there we can out other were all your when up use word how said an each she
which do their time if will way about many then them would write like so these her long make thing
see him two has look more day could go come did my sound no most number who over know water than call
first people may down side been now find any new work part take get place made live where after back
little only round man year came show every good me give our under name very through just form much
great think say help low line before turn cause same mean differ move right boy old too does tell""".split()
CONTRACTIONS = ["I'm", "don't", "DON'T", "it's", "IT'S", "we'll", "they've", "You'Re", "he'd", "'tis",
                "rock'n'roll", "o'clock", "l'été", "can’t", "'ſ", "y'all'd've"]
CODE = ["for (int i = 0; i < n; ++i) {", "    return x[i] * 2;", "def f(a, b=None):", "\tif a is not None:",
        "SELECT * FROM t WHERE id=42;", "print(f\"{x!r:>10}\")", "#include <vector>", "a->b != c && d || !e",
        "// TODO: fix_this_camelCaseName", "<div class=\"x\">&nbsp;</div>", "x = [1, 2, 3];\r\n", "0xDEADBEEF",
        "http://example.org/a/b?c=d&e=%20f#g", "user@example.com", "\\frac{a}{b}^2_{i}", "{\"key\": [null, true]}",
        "std::vector<std::pair<int, char>> v;", "a\n\n\n    b", "===---***___~~~", "$HOME/.bashrc: 12,345.67€"]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "🏳️‍🌈", "☺", "1️⃣", "©", "™", "🤷🏿‍♂️", "🧑‍💻", "✈︎", "㊗", "🫠"]
MARKS = ["e\u0301", "a\u0308\u0323", "o\u0323\u0308", "\u0041\u030a", "\u212b", "ﬁ", "ﬃ", "½", "①", "Ⅷ", "ℵ", "㎏",
         "ｆｕｌｌ", "ﾊﾝｶｸ", "ガ", "か\u3099", "\u1100\u1161\u11a8", "각", "\u0f73\u0f71", "q\u0307\u0323", "İ", "ı",
         "ǅ", "ŉ", "ΐ", "ẞ", "\u0344", "\u0958", "क़", "ज\u093c", "\u09c7\u09be", "\u0bc6\u0bd7", "ｱﾞ", "²³¹", "٣٤٥",
         "१२३", "๔๕", "〇", "\u2126", "\ufb01\u0323", "\u1e9b\u0323", "x\u0338\u0334", "\U0001d15e", "\u0300start"]
ODD = ["\u200b", "\u200d", "\ufeff", "\u00a0", "\u2003", "\u3000", "\u2028", "\u2029", "\u0085", "\u1680", "\u202f",
       "\u180e", "\u00ad", "\x00", "\x01", "\x07", "\x0b", "\x0c", "\x1b[0m", "\x7f", "\x8f", "\x9f", "\ufffd",
       "\ufffe", "\ue000", "\U000f0000", "\U0010ffff", "\u061c", "\u2060", "\u202eabc\u202c", "\u0378", "\u2581",
       "\u2581\u2581a", "Ġ", "ĊĠx", "\r\n", "\r", "\n", "\t", "\n\n", " \n ", "\t\t"]
SPECIAL = ["<s>", "</s>", "<unk>", "<pad>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<bos>", "<eos>",
           "[CLS]", "[SEP]", "[UNK]", "[MASK]", "<mask>", "<extra_id_0>", "<0x41>", "<|begin_of_text|>", "<tool>",
           "Widget", "widget", "WIDGET", "<lr>", "<left>", "<right>", "<one>", "<Norm>"]


def vocabulary(rng):
    words = {}
    for name, alphabet in SCRIPTS.items():
        words[name] = ["".join(rng.choice(alphabet) for _ in range(rng.randint(1, 9))) for _ in range(120)]
    words["english"] = ENGLISH
    return words


def zipf(rng, items):
    return items[min(int(rng.paretovariate(0.9)) - 1, len(items) - 1)]


def number(rng):
    return rng.choice([str(rng.randint(0, 10 ** rng.randint(1, 12))), f"{rng.uniform(0, 1e4):.3f}",
                       f"{rng.randint(1, 999):,}", f"-{rng.randint(0, 99)}%", f"{rng.randint(1, 12)}:{rng.randint(10, 59)}"])


def sentence(rng, words, script):
    length = rng.randint(1, 14)
    parts = [zipf(rng, words[script]) for _ in range(length)]
    for i, part in enumerate(parts):
        kind = rng.random()
        if kind < 0.08:
            parts[i] = part.capitalize()
        elif kind < 0.11:
            parts[i] = part.upper()
        elif kind < 0.15:
            parts[i] = number(rng)
        elif kind < 0.18:
            parts[i] = rng.choice(CONTRACTIONS)
    glue = "" if script in ("han", "hiragana", "katakana", "thai") and rng.random() < 0.7 else " "
    return glue.join(parts) + rng.choice([".", "!", "?", "...", "", ",", ";", "。", "、", "؟", "।", " .", " n't", ":)"])


def random_character(rng):
    while True:
        c = rng.choice([rng.randint(0x20, 0x2FF), rng.randint(0x300, 0x2FFF), rng.randint(0x3000, 0xFFFF),
                        rng.randint(0x10000, 0x1FFFF), rng.randint(0, 0x10FFFF)])
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def line(rng, words):
    kind = rng.random()
    if kind < 0.30:
        return sentence(rng, words, rng.choice(["english", "english", "latin", "accents"]))
    if kind < 0.50:
        return sentence(rng, words, rng.choice(list(SCRIPTS)))
    if kind < 0.58:
        return rng.choice(CODE) + rng.choice(["", "\n", "  "]) + rng.choice(CODE)
    if kind < 0.64:
        return "".join(rng.choice(EMOJI + [" ", "a"]) for _ in range(rng.randint(1, 8)))
    if kind < 0.72:
        return "".join(rng.choice(MARKS + [" ", "x", "-"]) for _ in range(rng.randint(1, 10)))
    if kind < 0.78:
        return rng.choice(ENGLISH) + rng.choice([" ", "\t", "\n", "\u00a0"]) * rng.randint(1, 40) + rng.choice(ENGLISH + [""])
    if kind < 0.86:
        mixed = ODD + SPECIAL + MARKS + EMOJI + CONTRACTIONS + ENGLISH + [" ", "  ", "."]
        return "".join(rng.choice(mixed) for _ in range(rng.randint(1, 12)))
    if kind < 0.93:
        around = [" ", "", "  ", "\t", "x", ".", "\n"]
        return "".join(rng.choice(SPECIAL + ENGLISH) + rng.choice(around) for _ in range(rng.randint(1, 6)))
    if kind < 0.97:
        return "".join(random_character(rng) for _ in range(rng.randint(1, 20)))
    return " ".join(number(rng) for _ in range(rng.randint(1, 8)))


def make_lines(count, seed):
    """`count` lines; the first ones are the corner cases by themselves."""
    rng = random.Random(seed)
    words = vocabulary(rng)
    lines = ["", " ", "  ", "\n", "a", " a", "a ", "'", "''s"] + ODD + MARKS + SPECIAL + EMOJI + CODE + CONTRACTIONS
    lines += [f"a{x}b {x} {x}c" for x in ODD + MARKS + SPECIAL + EMOJI]
    while len(lines) < count:
        lines.append(line(rng, words))
    return lines


def training_lines(count, seed):
    rng = random.Random(seed)
    words = vocabulary(random.Random(seed))
    return [line(rng, words) for _ in range(count)]
