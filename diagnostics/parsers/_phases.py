"""The wordings by which training logs announce phases, checkpoints and their own end: tables."""

from __future__ import annotations

import re

SIZES = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "ki": 2**10}  # fmt: skip  # noqa: E501

# done at step 34     [exiting program after 1190.03 minutes] datetime: ...     `Trainer.fit` stopped: `max_steps=10`
# reached.
FINISHED = re.compile(
    # done, accuracy=0.9388     Finished! best val loss: 0.214
    r"(?i)^(?:all )?(?:done|finished)[,:;.!]{1,3} ?(?:(?:final|best|test|val(?:idation)?|eval|train|mean|top-?1) ){0,3}"
    r"(?:acc(?:uracy)?|loss|f1|bleu|ppl|perplexity|score|mAP|auc)\b ?(?:[:=]|is) ?-?\d"
    r"|^finished[.!]?$|^(?:all )?done(?:, exit(?:ed|ing)?(?: with)? (?:code|status) 0)?[.!]?$"
    r"|\b(?:done|finished|completed) at (?:step|it(?:er(?:ation)?)?|epoch) \d"
    r"|\btraining (?:has )?(?:been )?(?:completed?|finished|done|ended)\b|\bfinished training\b"
    r"|\[exiting program (?:after|at) |\bexiting program after [\d.]{1,24} minutes"
    r"|\bstopping training due to (?:num_updates|cumulative_training_time)|['\"]train_runtime['\"]:"
    r"|`?Trainer\.fit`? stopped: .{1,80} reached"
    r"|\bdone training in \d|\b\d{1,6} epochs completed in \d|\bsignaling trainer to stop\b"
    r"|\bearly[- ]?stopp(?:ing|er|ed)[:,]? .{0,80}\bstop|\bafter training is done\b"
    # Epoch 00091: early stopping     Early stopping at epoch 12     Ran out of patience. Stopping training.
    r"|^(?:epoch \d{1,6}: ?)?early[- ]?stopp(?:ing|ed)"
    r"(?: (?:at|after|in|on|triggered|reached|activated|condition|criteri)\b.{0,120}"
    "|[:,;] (?:no|not|without) improve.{0,120})?[.!]{0,3}$"
    r"|\bstop(?:ping|ped)? (?:the )?(?:training )?early\b(?! stop)"
    r"|\bearly stop(?:ping)? (?:is |was |has been )?(?:triggered|reached|met|since|because|due to)\b"
    r"|\bout of patience\b|\brequesting early stopping\b|\bdue to early[- _]?stopping\b"
    r"|\bearly stopping, best iteration\b|^stopping\. best iteration"
    r"|\b(?:has not|hasn't|did not|didn't) improved? .{0,60}\b(?:stopp?ing|terminating|aborting) (?:the )?train"
    r"|\bstop(?:ping)? (?:the )?training\b.{0,60}\b(?:no|not|patience|improve)"
    r"|\b(?:epochs?|evaluations?|steps|improve\w{0,5})[,;:] early[- ]?stopping[.!]{0,3}$"
    # fit() returned, model written to /scratch/run3
    r"|\bfit\(\) (?:has )?(?:returned|finished|completed?|ended)\b"
    r"(?!.{0,60}\b(?:error|exception|fail|nothing|none|nan|early)\w{0,6}\b)|\bloss for final step: "
    r"|(?:^|\]: )(?:overall |total )?training time:? \d|^training speed:? \d|^\*+ (?:train metrics \*|best metric: )"
    r"|\btraining loop (?:is )?(?:completed?|done|finished|ended)\b|\brun canceled due to time limit\b"
    # time budget 86390 s reached, saving     12h budget used, checkpoint step 61200 written
    r"|(?:\b(?:time|wall[- ]?time) budget(?: of)? (?:[\d:.]{1,12} ?\w{0,7} )?"
    r"|\b\d{1,6} ?(?:s|sec|min|h|hours?) budget )(?:used|reached|spent|used up), ?"
    r"(?:saving|checkpoint|stopping|leaving|exit)|\[exit_duration reached\]"
    r"|\breached max(?:imum)?[_ ](?:steps|epochs|iterations|time)"
    r"|\btime limit (?:of the run|configured) reached, (?:stopping|exiting)"
    # MaxTrainTime exceeded.     max_time 01:16:00:00 exceeded (elapsed 01:16:07:12), stopping after this epoch
    r"|\bmax(?:imum)?[_ ]?(?:train(?:ing)?[_ ]?)?time\b(?: (?:limit |budget )?(?:of )?[\d:.]{1,14} ?\w{0,7})? "
    r"(?:is |was |has been )?(?:exceeded|reached)\b"
    # max training steps reached, stopping training     Skipping training since max_steps has already saved.
    r"|\bmax(?:imum)?[_ ](?:train(?:ing)?[_ ])?steps (?:is |was |has been )?reached\b"
    r"|\bskipping training since max_steps has already saved\b"
    # Stopping training at epoch 7, step 8173 due to time limit.     Reached timeout of 180 seconds. Stopping all
    # trials.
    r"|\bstop(?:ping)? (?:the )?training\b.{0,60}\b(?:due to|because of|by) (?:the |its )?"
    r"(?:time[- ]?(?:limit|budget)|max(?:imum)?[_ ]time)\b"
    r"|\breached (?:the )?time(?:out|[- ]?(?:limit|budget)) of \d{1,9}(?:\.\d{1,3})? ?\w{0,8}[.,;] ?stopping\b"
    # Reached early stopping criterion (10 tests without improvement).     Patience triggered at step 280.
    r"|\breached (?:the )?early[- ]?stopping criteri|\bpatience (?:is |was |has been )?"
    r"(?:triggered|exhausted|exceeded|reached|used up)\b"
    r"|\b(?:kill[-_ ]?switch|stop[-_ ]?file|exit[-_ ]?file)\b.{0,300}\b(?:exiting|stopping|leaving)\b"
    r"|\b(?:exiting|stopping)\b.{0,80}\b(?:kill[-_ ]?switch|stop[-_ ]?file|exit[-_ ]?file)\b"
)

_ENDING = r"\.(?:pth|pt|ckpt|safetensors|npz|distcp)"
_PATH = (
    r"['\"`]?(?P<path>(?:/|\.{0,2}/|[\w.-]{1,200}/)[^\s'\"`,;()]{1,1000}"
    r"|[\w.-]{1,200}\.(?:pth|pt|ckpt|bin|safetensors|npz|h5|tar|distcp))"
)
_THING = (
    "(?:model |training |optimizer |full |weights |state |latest |final |intermediate |the |a |deepspeed "
    r"|FSDP |global )*(?:check[- ]?points?|ckpt|snapshot|weights|states?|model)\b"
)

_AT = r"(?:check[- ]?point|ckpt|snapshot) (?:at |of )?(?:(?:global[ _])?step|epoch|iter(?:ation)?)[ =:]{0,2}\d{1,12}"

# wording -> what happened to the checkpoint
CHECKPOINTS = (
    # saving checkpoint step 5 -> /workspace/ckpt/step_000005.pt     Saving model checkpoint to out/checkpoint-500
    (re.compile(rf"(?i)\bcopying {_PATH} (?:->|to) (?P<to>\S{{1,1000}})"), "copying"),
    (re.compile(rf"(?i)\b(?:copied|mirrored|uploaded) {_PATH}"), "copied"),
    (re.compile(rf"(?i)\bsaving {_THING}.{{0,80}}?(?:->| to| at|:| in) {_PATH}"), "saving"),
    (re.compile(r"(?i)\b(?:gathering|consolidating) (?:the )?(?:full )?(?:optimizer |model |sharded )*"
        r"(?:state|parameters|weights)|\bsaving (?:\w{1,20} ){0,3}(?:checkpoint|snapshot)\b"), "saving"),
    (re.compile(rf"(?i)\bsaving (?:to |into |at |as |-> )?{_PATH}"), "saving"),
    (re.compile(rf"(?i)\bwriting (?:{_THING} )?(?:to |into |as |-> )?(?=\S{{1,1000}}?{_ENDING}\b){_PATH}"), "saving"),
    # checkpoint step 30 -> /exp/out/last.pt     snapshot at epoch 4: => out/best.ckpt
    (re.compile(rf"(?i)^{_AT}:? ?(?:->|=>) ?{_PATH}"), "saving"),
    # checkpoint step 30 done, 189.6 MB, 1.54 s
    (re.compile(rf"(?i)^{_AT}[,:]? (?:is )?(?:done|finished|completed?)\b"), "saved"),
    (re.compile(rf"(?i)\bsuccessfully saved {_THING}(?:.{{0,80}}? to {_PATH})?"), "saved"),
    (re.compile(rf"(?i)\b(?:saved|wrote|written) (?:{_THING} )?(?:to |in |at |: ?)?{_PATH}"), "saved"),
    (re.compile(rf"(?i)\b{_THING} (?:was |has been )?(?:saved|written)(?: (?:to|in|at))?:? {_PATH}"), "saved"),
    (re.compile(r"(?i)\bsaved (?:\w{1,20} ){0,2}(?:checkpoint|snapshot)\b"), "saved"),
    # time (ms) | save-checkpoint: 57514.53
    (re.compile(r"\bsave-checkpoint: (?P<ms>\d{1,12}(?:\.\d{1,6})?)"), "saved"),
    (re.compile(r"(?i)\bresumed (?:at|from) (?:step|iteration|epoch)"), "resumed"),
    (re.compile(rf"(?i)\b(?:successfully )?(?:loaded|restored|resumed) (?:{_THING} )?"
        f"(?:from |: ?)?{_PATH}"), "resumed"),
    (re.compile(rf"(?i)\b(?:resum(?:e|ing)|restoring|loading)(?: training)?(?: {_THING})?(?: shards)? ?(?:from|:)?:? "
        f"(?:{_THING} )?(?:from )?(?:at )?{_PATH}"), "resuming"),
    (re.compile(r"(?i)\b(?:deleting|deleted|removing|removed|pruned|pruning) (?:old(?:er|est)? )?"
        rf"(?:{_THING} )?\[?{_PATH}"), "removed"),
)  # fmt: skip

COMPILED = (
    r"(?i)\bcompil(?:ation|ing) (?:done|finished|completed?|successfully completed|took|ended)\b"
    r"|\bcompiled (?:in|after) \d|\btorch\.compile takes \d"
    r"|benchmarking takes \d|\bAUTOTUNE\b.{0,80}takes|(?:slow_operation_alarm\.cc.{0,40}|^)The operation took \d"
    r"|\bFinished XLA compilation\b|\bdone compiler function \w|^Compiling IR graph .{0,120} done!"
    r"|\binit engine \(profile, .{1,60}\) took \d{3}|\bcompiling (?:a|the) graph for .{1,60} takes \d"
    r"|^Loading extension module \w|graph captur(?:e|ing) finished"
    r"|^Time to load \w{1,60} op: \d|\bengine (?:generation|build(?:ing)?) (?:completed|finished|took)\b"
)
# a row that says how long some call of what is compiled took begins nothing
COMPILES = (
    r"(?i)\btorch\.compile\b(?! (?:first|1st|second|2nd|next|later|following) "
    "(?:call|run|step|iter|request|batch|pass))"
    r"|^(?:now )?compiling\b|\bstart(?:ing|ed)? compiling\b|\bAUTOTUNE \w|\btorch\._(?:inductor|dynamo)\b"
    r"|\b(?:inductor|triton)\b.{0,60}\bcompil"
    r"|\bcompile[-_ ]worker|Very slow compile\?|slow_operation_alarm\.cc|^Constant folding an instruction is taking >"
    r"|capturing (?:the model for )?cuda ?graphs?|^Using \S{1,400} as PyTorch extensions root"
    r"|^Building extension module \w|^Emitting ninja build file"
    r"|\bno pre-?built (?:kernels?|extensions?|ops?|binar\w{1,4}) (?:is |are |was |were )?found\b"
    r"|\bbuild(?:ing)? and load(?:ing)? (?:the )?\S{1,60} (?:kernels?|ops?|extensions?)\b"
    r"|\bBuilding wheel for \S{1,80} \(\S{1,40}\): (?:started|still running)"
    r"|\bcall(?:ing)? compiler (?:with cmd: |function \w)|\btorchinductor compiling \w{3,20} graph\b"
    r"|\bbuilding an? (?:\w{1,20} )?engine\b"
)

# wording -> phase and edge; the first that fits counts
_EVALUATION = r"(?:evaluation|validation|eval)"
_MADE = r"(?:images?|videos?|clips?|prompts?|questions?|problems?|captions?|utterances?|episodes?)"
_KIND = r"(?:(?:the|an?) )?(?:[\w-]{1,24} ){0,2}"  # building the near-duplicate index
PHASES = (
    (re.compile(r"(?i)^(?:rank[ =:]?\d{1,6}[:,]? )?(?:\w{1,20} ){0,3}"
        r"(?:evaluat(?:ion|ing|ed)|validat(?:ion|ing|ed)|eval|val|valid)\b.{0,40}?\b\d{1,9} ?"
        r"(?:/|of) ?\d{1,9}\b"), "evaluation", None),
    # Generated 3/12 images     Sampling video 3 of 12     sample 3/12 saved
    (re.compile(r"(?i)^(?:generat|sampl|render|decod|answer|transcrib|scor)(?:ed|e?ing) (?:(?:validation|test) )?"
        rf"(?:{_MADE} )?\d{{1,6}} ?(?:/|of) ?\d{{1,6}}(?: {_MADE}\b|[.: ]*$)"
        rf"|^(?:sample|{_MADE}) \d{{1,6}} ?(?:/|of) ?\d{{1,6}}(?: \(.{{1,60}}\))? ?(?:is |was )?"
        r"(?:saved|done|written|generated|rendered|decoded|scored)\b"), "evaluation", None),
    (re.compile(r"(?i)\b(?:running|starting|start|begin(?:ning)?) (?:the )?(?:epoch \d{1,6} )?"
        r"(?:evaluation|validation|eval)\b|\*{3,} Running (?:Evaluation|Prediction)|^evaluating\b|^validating\b"
        r"|\bvalidation:? +0(?:it|%)"), "evaluation", "begin"),
    # validation start, 30 datasets     eval: 5120 prompts, generate max_new_tokens=1024
    (re.compile(rf"(?i)\b{_EVALUATION}(?: on rank \d{{1,6}})?:? (?:starts?|started|starting|begins?|began)\b"
        rf"|\b{_EVALUATION}:? (?:on |of |over )?\d{{1,9}} "
        "(?:prompts|samples|examples|images|batches|data ?sets|files|problems|questions|videos|clips|sequences"
        r"|episodes)\b"), "evaluation", "begin"),
    (re.compile(r"(?i)\b(?:evaluation|validation|eval) (?:done|finished|completed?|took|ended)\b"
        r"|\bvalid(?:ation)? loss at\b|^(?:step \d{1,12}: train loss \S{1,20}, )?val(?:id|idation)? loss\b"
        r"|^eval(?:uation)? loss\b"
        r"|['\"]eval_loss['\"]"), "evaluation", "end"),
    (re.compile(COMPILED), "compile", "end"),
    (re.compile(COMPILES), "compile", "begin"),
    (re.compile(r"(?i)\b(?:state[_ ]?dict|optimizer states?) (?:was |were )?(?:gathered|consolidated)\b"
        r"|\bsuccessfully saved\b|^(?:rank \d{1,6}:? |save_\w{1,30}: (?:rank \d{1,6}:? )?)?(?:saved|wrote) \S"
        r"|\bsaved (?:model |full )?(?:checkpoint|snapshot)|\b(?:checkpoint|weights|snapshot) (?:saved|written)\b"
        rf"|^{_AT}[,:]? (?:is )?(?:done|finished|completed?)\b"
        r"|\bsave-checkpoint: \d|\bsnapshot:.{0,80}\bwrote\b|(?:train|trainer|main): saved /"), "save", "end"),
    # rank 0..7: sharded safetensors written      model.safetensors.index.json written      consolidation finished
    # merge_shards: done
    (re.compile(r"(?i)\b(?:safetensors|[\w.-]{1,80}\.index\.json) (?:was |were )?written\b"
        r"|\b(?:consolidat|export|merge_|gather_)\w{2,60}:? (?:is )?"
        r"(?:done|finished|completed?|ended)\b"), "save", "end"),
    # consolidate_shards_on_rank0: start      export started      gather_full_state: begin
    (re.compile(r"(?i)\b(?:consolidat|export|merge_|gather_)\w{0,60}:? "
        r"(?:starts?|started|starting|begins?|began)\b"), "save", "begin"),
    (re.compile(r"(?i)\bsaving (?:\w{1,20} ){0,3}(?:checkpoint|snapshot|state)|\bcheckpoint queued\b"
        r"|^(?:check[- ]?point|ckpt)(?:ing)?: (?:\w{1,20}\.){0,3}(?:async_)?(?:save|write)\w{0,20} ?(?:->|=>|to|at) ?\S"
        rf"|^{_AT}:? ?(?:->|=>) ?\S"
        r"|\bsnapshot of step\b|\bwriting (?:checkpoint|snapshot)|\bcopying /\S{1,500} ->"), "save", "begin"),
    # Model checkpoint of size 4.61 GiB saved to out/epoch_0/ft-model-00014-of-00030.safetensors
    (re.compile(r"(?i)\b(?:checkpoint|weights|shard) of size \S{1,20} \S{1,8} saved to\b"), "save", None),
    # save_checkpoint: FullStateDictConfig, collecting model + optimizer on rank 0     Saving tensors to
    # /exp/2000/model_0.safetensors
    (re.compile(r"(?i)\bexporting (?:the )?(?:\w{1,20} ){0,2}(?:checkpoint|model|weights)\b"), "save", "begin"),
    (re.compile(r"(?i)^snapshot: |^(?:\w{1,40}\.)?_?save_(?:checkpoint|model|state|state_dict|pretrained|weights): "
        r"(?!.{0,80}\b(?:wait|retry|stuck|timed? ?out|error|fail))"
        r"|\b(?:saving|writing|exporting) (?:tensors?|weights|shards?|parts?|layers?|optimizer)"
        r"(?: \d{1,6}(?: ?(?:/|of) ?\d{1,6})?)? (?:to|into) \S"), "save", None),
    (re.compile(r"(?i)\bresumed (?:at|from)\b|\b(?:checkpoint|weights|model) loaded\b|\bsuccessfully loaded\b"
        r"|\bloaded (?:checkpoint|weights|model)\b|\bloading (?:model )?weights took\b"), "load", "end"),
    (re.compile(r"(?i)\bresuming (?:training )?from\b|\bloading (?:\w{1,20} ){0,2}"
        r"(?:checkpoint|weights|safetensors|model)\b"), "load", "begin"),
    (re.compile(r"(?i)^Successfully installed \S"), "download", "end"),
    (re.compile(r"(?i)\bdownloading\b|^fetching \d{1,6} files"
        r"|^\+? ?(?:\S{0,40}python\S{0,8} -m )?pip3? install\b"), "download", "begin"),
    (re.compile(rf"(?i)\b(?:preprocess(?:ing)?|tokeniz(?:ing|ation)|building {_KIND}(?:dataset|index|indices|vocab)"
        r"|preparing (?:the )?(?:\w{1,20} ){0,2}(?:set|data(?:set)?|shards)|generating \w{1,20} split"
        r"|running tokenizer|packing|(?:index|data|sample) (?:mappings?|indices))\b.{0,80}\b"
        r"(?:done|built|finished|took|completed?)\b"), "preprocess", "end"),
    (re.compile(rf"(?i)\b(?:preprocessing|tokenizing|building {_KIND}(?:dataset|index|indices|vocab)"
        r"|preparing (?:the )?(?:\w{1,20} ){0,2}(?:set|data(?:set)?|shards)|generating \w{1,20} split"
        r"|running tokenizer|packing)\b|^Map(?: \(num_proc=\d{1,4}\))?: "), "preprocess", "begin"),
    # index: block 216/1300, 7.6 s     dedup: hashed 3 of 64 shards     shuffling bucket 12/96
    (re.compile(r"(?i)^(?:(?:index|dedup(?:lication)?|shuffle|vocab(?:ulary)?): (?:\w{1,20}:? ){0,3}?"
        r"|(?:index|dedup(?:licat)?|hash|shuffl|pack|scann|verify|verifi|tokeniz|tokenis|convert|extract)"
        r"(?:ed|ing):? (?:\w{1,20}:? ){0,3}?)"
        r"(?<!step )(?<!epoch )(?<!iter )(?<!iteration )\d{1,9} ?(?:/|of) ?\d{1,9}\b"), "preprocess", None),
    # caching latents...     caching Text Encoder outputs with batch size 8     Precomputing embeddings
    (re.compile("(?i)^(?:pre-?)?(?:caching|computing|encoding|extracting|computing and caching) (?:the |all )?"
        r"(?:\w{1,20} ){0,2}(?:latents|embeddings?|embeds|features|activations|statistics|outputs|captions|images"
        r"|videos|prompts|data(?:set)?)\b.{0,60}$"), "preprocess", "begin"),
    (re.compile(r"(?i)\bend of epoch\b|\bepoch \d{1,6} (?:done|finished|completed?|ended)\b|\bloop done\b"
        r"|\brestarting the loader\b"), "epoch-end", "end"),
    (re.compile(r"(?i)\b(?:iterator|data ?loader|data ?set|data|shards?) (?:is |was |are )?exhausted\b"
        r"|\b(?:ran|run) out of (?:data|batches|samples|shards)\b"
        r"|\bend of (?:the |its )?(?:data(?:set| ?loader)?|iterator|shards?)\b|\bno more (?:data|batches|samples)\b"
        r"|\bexhausted (?:its|the|all) (?:data|iterator|batches|samples|shards?)\b"), "data-end", "end"),
    (re.compile(r"(?i)\bwarm(?:ing)?[ -]?up (?:the |done|steps? for|iterations?)"
        r"|\bsanity checking\b"), "warmup", "begin"),
    (re.compile(r"(?i)\binit(?:ializing|ialising)? (?:the )?(?:torch )?"
        r"(?:distributed|process group|nccl|deepspeed|model|megatron)\b|\binit_process_group\b"
        "|> initializ(?:ing|ed) "), "init", "begin"),
    (re.compile(r"(?i)\bmerging (?:the )?(?:\w{1,20} ){0,2}(?:weights|adapters?|shards|checkpoints?)\b"
        r"|\bsaving (?:(?!saving)\w{1,20} ){0,4}(?:to|into|at|as) ['\"]?[\w.-]{0,60}/"), "save", "begin"),
)  # fmt: skip

PATTERNS = (FINISHED, *(pattern for pattern, _ in CHECKPOINTS), *(pattern for pattern, _, _ in PHASES))
