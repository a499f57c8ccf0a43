"""How people say in a table of trials what they tried and how it went."""

from __future__ import annotations

import re

# "2 nodes x 8 GPU : ok or very slow"
ROW = re.compile(
    r"^[ \t]{0,8}(?:\|[ \t]{1,40})?(?P<condition>[^\s|](?:[^:|\n=]|=[^\s|]{0,60}){2,100}?)(?<=[^ \t])(?:[ \t]{0,40}:[ \t]|[ \t]{2}|[ \t]{1,40}\|[ \t])[ \t]{0,40}(?P<text>(?:\d{1,4} ?(?:of|/) ?\d{1,4},? (?:(?:runs?|times|tries|attempts) )?)?(?:(?:host|gpu|job|it|machine|box|node|server|system|pc|card) )?(?:goes |went |is |was |turns |turned )?"
    r"(?P<outcome>ok|sometimes|okay|works|trains|exits(?: cleanly| normally)?$|no failures?|\d{1,6} (?:failures?|crash(?:es)?|hangs|errors)|0(?: of |/)\d{1,6}(?: (?:runs|times|tries|starts|attempts))?$"
    r"|\d{1,6}(?: of |/)\d{1,6} (?:\w{1,12} ){0,2}(?:crash|fail|hang|pass|complet|finish)(?:e[sd]|s|ed)?|first batch (?:after|in) \d{1,6}|stands (?:until|still|for)|runs (?:through|fine|well)|runs(?=$|[,;.])|serves(?=$|[,;.])|completes|finishes|succeeds|(?:first )?step(?: \d+)? (?:after|in) \d{1,6}|(?:init|start|startup|load) \d[\d.]{0,8} ?\w{1,3}, trains|pass(?:es|ed)?|fine|baseline|(?:about |~)?\d+(?:\.\d+)?x slower|(?:very |much )?slow"
    r"|hangs?|hung|stuck|dead ?locks?|freezes|froze|frozen|blocks|blocked|waits|never \w+|no (?:crash(?:es)?|errors?|hangs?|failures?|problems?|reboots?|resets?|lock-?ups?)|\d{1,4} (?:min(?:utes?)?|h(?:ours?)?|days?|weeks?),? (?:ok|fine|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)\w{0,2})|(?:soft |hard )?lock-?ups?|\w{2,30}(?:Error|Exception): \w+|no (?:\w+ )?(?:batch(?:es)?|output|progress|steps?|answer|response)"
    r"|(?:\w{2,20} ){0,2}(?:time[sd] out|timeout)|killed|OOM|out of memory|seg(?:mentation )?faults?|unreachable|refused|(?:does|did)(?: not|n't) \w+|fail(?:s|ed)?|crash(?:es|ed)?|dies|died|aborts|aborted|errors?(?!:)|(?:loss is |loss )?nan|wrong result|differs|CUDA error|bus error|off|dark|powers? off|shuts? down|shutdown|reboots?|restarts?|gone|resets?|lost)\b"
    r"[^\n]{0,120})$",
    re.I,
)
# only the outcome's end of a row: looking for the condition before it takes many times as long
OUTCOME = re.compile(
    r"(?::[ \t]|[ \t]{2}|[ \t]\|[ \t])[ \t]{0,40}"
    + ROW.pattern[ROW.pattern.index("(?P<text>") :].replace(r"[^\n]{0,120})$", ")"),
    re.I,
)
# "nodes=40 ...", "2 nodes", "3+ nodes x 8 GPU"
# cuda:0 -> cpu -> cuda:1 equal: True
COMPARED = re.compile(
    r"^\s{0,8}(?P<condition>\w[^\n=]{0,60}?(?:->|=>)[^\n=]{1,60}?)[ \t:|]{1,40}(?P<text>(?:equal|identical|allclose|match(?:es)?|same)[ :=]{1,4}(?P<same>True|False|yes|no))$",
    re.I,
)
NODES = re.compile(r"\bnodes?\s?=\s?(\d{1,6})|\b(\d{1,6})\+?\s?(?:nodes?|machines?|hosts?)\b", re.I)
GPU = re.compile(r"\bGPU ?(\d{1,2})\b(?!\s*(?:x|GPU))")
OUTCOMES = (
    ("varies", re.compile(r"\bok(?:ay)? or\b|\bsometimes\b|\bintermittent", re.I)),
    ("slow", re.compile(r"slow", re.I)),
    # hung 0 of 10
    (
        "ok",
        re.compile(
            r"^(?:hangs?|hung|fail(?:s|ed)?|crash(?:es|ed)?|errors?|lost|died|stuck|froze) 0(?: ?/ ?| (?:out )?of )\d",
            re.I,
        ),
    ),
    (
        "ok",
        re.compile(
            r"^(?:ok|okay|works?|pass|fine|clean|baseline|\d{1,4} \w{1,7},? (?:ok|fine|no )|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)|runs|serves|completes|finishes|succeeds|exits|(?:first )?(?:step|batch)\b|(?:\w+ [^,]{1,20}, )?trains"
            r"|0 |0/|\d{1,6}(?: of |/)\d{1,6} (?:\w{1,12} ){0,2}(?:pass|complet|finish))",
            re.I,
        ),
    ),
    (
        "hang",
        re.compile(
            r"hang|hung|stuck|stands|lock|lock-?up|freez|froze|wait|never|^no |time[sd]? ?out|did(?: not|n't)|does(?: not|n't)",
            re.I,
        ),
    ),
    (
        "off",
        re.compile(
            r"^(?:(?:host|gpu|it|machine|box|node|server|system|pc|card) )?(?:goes |went |is |was |turns |turned )?(?:off|dark|powers? off|shut|gone|lost|reset|reboot|restart)",
            re.I,
        ),
    ),
    ("fail", re.compile(r"fail|crash|dies|died|abort|error|nan|wrong|differs", re.I)),
)
# 3 of 3 ok      0/5 fail
COUNT = re.compile(
    r"^(\d{1,4}) ?(?:of|/) ?(\d{1,4}),? (?:(?:runs?|times|tries|attempts) )?(?=\D)(?!(?:runs?|times|tries|starts|attempts)\s*$)"
)
# device 0-8 fine (40 h), device 9 (db:00) fails in < 1 h
CLAUSE = re.compile(
    r"\b(?P<part>gpu|device|card)s?[ :#]{0,2}(?P<first>\d{1,2})(?: ?(?:-|to) ?(?P<last>\d{1,2}))?(?: \([^()]{1,30}\))?:? (?:always |is |are |all )?"
    r"(?P<outcome>ok(?:ay)?|fine|works?|pass(?:es)?|trains?|clean|fails?|crash(?:es)?|hangs?|aborts?|dies|errors?)\b",
    re.I,
)
MOST_DEVICES = 16
# gpu:1 matmul vs numpy max abs err 3.1e+02
DEVIATION = re.compile(
    r"^ {0,8}(?P<part>gpu|device|card|cuda)[ :]{0,2}(?P<number>\d{1,3})\b(?P<work>[^\n]{1,100}?\b(?:err(?:or)?s?|diff(?:erence)?|deviation|mismatch(?:es)?))[ :=]{1,4}(?P<value>\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\s*$",
    re.I,
)
DIGITS = re.compile(r"\d{1,20}")
FAR_OFF = 1000.0
# falls to 22 img/sec      1600 images/sec throughout      2.1 s/it
RATE = re.compile(
    r"(?:(?:falls|drops|down|goes|only|about|just|runs|at|to|some) ){0,3}~?(?P<value>(?<![\d.])\d{1,9}(?:\.\d{1,6})?) ?"
    r"(?P<unit>(?:img|im|image|sample|token|tok|example|sequence|it|iter|step|batch)(?:e?s)?(?:/s(?:ec)?|(?: per|/) second)"
    r"|(?:m?s|sec|seconds)/(?:it|iter|step|batch|epoch))\b",
    re.I,
)
# samples_per_second_per_gpu 30      tokens/s/GPU: 1250.4      images/sec = 812
NAMED_RATE = re.compile(
    r"\b(?P<unit>(?:img|image|sample|token|tok|example|sequence|iter|step|batch)(?:e?s)?(?:/s(?:ec)?|[_ ]?per[_ ]s(?:ec(?:ond)?)?)(?:[/_ ](?:per[_ ])?(?:gpu|device|card|rank))?)"
    r"[ =:]{1,4}(?P<value>\d{1,9}(?:\.\d{1,6})?)$",
    re.I,
)
# busbw(GB/s)      bandwidth [Gbit/s]      time(ms)      ~25 GB/s      370 ms
MEASURED = re.compile(r"^[\w ]{1,30}[(\[](?:(?P<rate>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps)|m?s|us|sec)[)\]]$", re.I)
AMOUNT = re.compile(
    r"^~?(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps|m?s|us|sec)$", re.I
)
HOPED = re.compile(r"(?:expected|expectation|target|reference|theoretical|should be|spec|nominal)$", re.I)
GOT = re.compile(r"(?:actual|measured|observed|got|real|now|found)$", re.I)
PER_STEP = re.compile(r"^(?:m?s|sec|seconds)/")
# what a condition ends in: a colon, an arrow, a bar or two blanks
APART = re.compile(r"(?:[:>|][ \t]|[ \t]{2})$")
LONGEST_CONDITION = 80
NO_CONDITION = re.compile(
    r"^\W{0,4}(?:\d(?!\d{0,4}\+? ?(?:nodes?|machines?|hosts?)\b)|(?:global_?)?(?:step|iter|iteration|epoch|batch|rank|gpu|worker|host|node)s?\b)",
    re.I,
)
FAR_BELOW = 0.5
LARGEST = 256 << 10  # bytes: nobody writes down more by hand
JUDGED = re.compile(r"(?:OK|FAILED)\b")
COMPLAINT = re.compile(r"(?i)\b(?:error|warning|exception|fatal|kernel)$")  # CUDA error: out of memory
# |   0  GeForce GTX 1080 Ti  Off  | 00000000:02:00.0 Off |                  N/A |
OF_NVIDIA_SMI = re.compile(r"\| {0,8}[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d ")
FEWEST_ROWS = 2
ON = (" continues", " goes on", " runs on")
# card  machine  slot   result
HEADING = re.compile(r"^(?:[A-Za-z][\w ]{0,20}?[ \t]{2,40}){1,6}(?:results?|outcome|status|verdict)[ \t]{0,40}$", re.I)
# what the first column of a grid tells apart, where a bare "A" would not say
PLACE = re.compile(r"(?:site|cluster|cent(?:er|re)|data ?cent(?:er|re)|lab|provider|region)$", re.I)
# timeout 600 s : one pause of 90 s in 5 h, training continues
GOES_ON = re.compile(
    r"^[ \t]{0,8}(?P<condition>[^\s|](?:[^:|\n=]|=[^\s|]{0,60}){2,100}?)[ \t]{0,40}(?::[ \t]|[ \t]{2})[ \t]{0,40}(?P<text>\S[^:|\n]{0,120}[,;] (?:training|the run|the job|it) (?:continues|goes on|runs on))$",
    re.I,
)
# metadata_nthreads=1     8 s        one at a time      38 s, no warning
WENT_ON = re.compile(
    r"^[ \t]{0,8}(?P<condition>[^\s|](?:[^:|\n=]|=[^\s|]{0,60}){2,100}?)[ \t]{0,40}(?::[ \t]|[ \t]{2})[ \t]{0,40}(?P<text>~?\d{1,6}(?:\.\d{1,4})? ?(?:s|sec(?:onds?)?|min(?:utes?)?)(?:, no \w{1,12})?)$",
    re.I,
)
LASTED = re.compile(r"^~?\d{1,6}(?:\.\d{1,4})? ?(?:m?s|sec(?:onds?)?|min(?:utes?)?|h)$", re.I)
CELLS = re.compile(r"[ \t]{2,}")
WELL = re.compile(
    r"^(?:\d{1,6}/\d{1,6} (?:runs? )?)?(?:ok(?:ay)?|works?|pass(?:es|ed)?|fine|completes?|no errors?|ran (?:for )?\d{1,5}|(?:stays|stayed) up|stable|survives)\b",
    re.I,
)
ILL = re.compile(
    r"\w{2,40}(?:Error|Exception)\b|\berrors?\b|\bfail|\bcrash|\bhang|\bhung|\bstuck|\bNaN\b|\bslow|\bwrong\b|\blost\b|\bXid\b"
    r"|\b(?:restarts|reboots|resets|freezes|goes dark|(?:powers|turns|switches|shuts) (?:off|down))\b|\b(?:host|machine|box) off\b",
    re.I,
)
