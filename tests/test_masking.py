"""No secret gets through, no count is mistaken for one, and a hostile line takes linear time."""

from __future__ import annotations

import time

import pytest

from diagnostics.masking import MASK, mask, mask_bytes

SECRET = "Zq8vR2kLmN4pXwYt"


@pytest.mark.parametrize(
    "text",
    [
        f"HF_TOKEN={SECRET}",
        f"export WANDB_API_KEY='{SECRET}'",
        f'{{"password": "{SECRET}"}}',
        f"python train.py --hf-token {SECRET} --lr 1e-3",
        f"--api-key={SECRET}",
        f"Authorization: Bearer {SECRET}",
        f"curl -H 'Authorization: Basic {SECRET}=='",
        f"https://user:{SECRET}@host/path",
        f"https://b.s3.amazonaws.com/k?X-Amz-Signature={SECRET}&x=1",
        f"AWS_SECRET_ACCESS_KEY={SECRET}",
        f"AccountKey={SECRET};EndpointSuffix=x",
        f"token: hf_{SECRET}{SECRET}",
        f"pushed with ghp_{SECRET}{SECRET}",
        f"key sk-{SECRET}{SECRET}",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n{SECRET}\n-----END OPENSSH PRIVATE KEY-----",
        f"client_secret = {SECRET}",
        f'password="two words {SECRET}"',
        f'{{"password": "a, b; {SECRET}"}}',
        f"DB_PASS={SECRET}",
        "passwd=12345678",
        f"Cookie: session=abcdef; id={SECRET}",
        f"curl -sS -u bob:{SECRET} https://host/",
        f"sshpass -p {SECRET} ssh host",
        f"password=ab,{SECRET}",
        f"secret: a&b;{SECRET}",
        f"mysql -u root -p{SECRET} -h db train",
        f"mysqldump --host=db -p{SECRET}",
        f"redis-cli -h cache -a {SECRET} ping",
        f"docker login -u bob -p {SECRET} registry",
        f"wandb login {SECRET}",
        f"aws configure set aws_secret_access_key {SECRET}",
        f"curl -d @f https://hooks.slack.com/services/T0AAA/B0BBB/{SECRET}",
        f"NGC key nvapi-{SECRET}{SECRET}",
        f"machine github.com login bob password {SECRET}",
        f'{{"env": "{{\\"HF_TOKEN\\": \\"{SECRET}\\"}}"}}',
        f"os.environ['HF_TOKEN'] = '{SECRET}'",
        f"Token: b'{SECRET}'",
        f'"password" => "{SECRET}"',
        f"      HF_TOKEN:                  {SECRET}",
        f"    - name: HF_TOKEN\n      value: {SECRET}",
        f'{{"name":"WANDB_API_KEY","value":"{SECRET}"}}',
        f'{{"auths": {{"registry.example": {{"auth": "{SECRET}"}}}}}}',
        f"  .dockerconfigjson: {SECRET}",
        f"    client-key-data: {SECRET}",
        f"  tls.key: {SECRET}",
        f"ENCRYPTION_KEY={SECRET}",
        f"GITHUB_PAT={SECRET}",
        f"MYSQL_PWD={SECRET}",
        f"//nas/x on /data type cifs (rw,username=bob,pass={SECRET},vers=3.1)",
        f"Server=db;Uid=bob;Pwd={SECRET};",
        f"Authorization: token {SECRET}",
        f"git clone https://{SECRET}@github.com/x/y",
        f"https://bob:ab@{SECRET}@host/x",
        f"HTTPS_PROXY=bob:{SECRET}@proxy:3128",
        f"curl -ubob:{SECRET} https://host/",
        f"sshpass -p '{SECRET}' ssh host",
        f"mysql -p'{SECRET}' train",
        f"curl https://discord.com/api/webhooks/1234/{SECRET}",
        f"pay sk_live_{SECRET}{SECRET}",
        f"mail SG.{SECRET}.{SECRET}",
    ],
)
def test_a_secret_is_masked(text: str) -> None:
    masked = mask(text)
    assert SECRET not in masked
    assert "12345678" not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    "text",
    [
        "step 16 | loss 4.4248 | lr 1.00e-03 | 6,648 tok/s | data_wait 0.00s",
        "tokens: 123456 tokenizer: gpt2 max_tokens=4096 n_tokens = 12",
        "pad_token: 0, token=50256",
        "mfs#10.0.0.1:9421 /workspace fuse rw,nosuid 0 0",
        "lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/data/shard2.bin",
        "https://host:9421/path and user@host:/srv",
        "mysql -u root -h db -P 3306 train",
        "docker login -u bob registry",
        "secretary: none, the password file is absent",
        "[<0>] folio_wait_bit_common+0x110/0x310",
        "git@github.com:x/y.git https://bob@host/x abfss://container@account.dfs.core.windows.net/x",
        "    - name: data\n      value: /workspace/data",
        "sort_key=step, password_file missing, step-1 | pass: 3",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


def test_the_lines_of_a_text_stay_lines() -> None:
    text = f"a\n-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\nHF_TOKEN={SECRET}\nb\n"
    assert mask(text).count("\n") == text.count("\n")


def test_bytes_that_are_no_utf8_survive() -> None:
    assert mask_bytes(b"\xff\x00 password=hunter22 \xfe") == b"\xff\x00 password=[masked] \xfe"


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "-",
        "token",
        "://",
        "Bearer ",
        "token=",
        "eyJ",
        "sk-a",
        "\"'= ",
        "PRIVATE KEY-----",
        "curl -u ",
        "login a ",
        "password='",
        "cookie:",
        "name: token ",
        "A_KEY=\\",
        "_proxy=a:",
        "https://aaaaaaaaaaaaaaaaaaaa",
    ],
)
def test_a_hostile_line_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    # four times the text may take four times as long, with room for noise, not sixteen times
    assert seconds(2_000_000) < 9 * max(seconds(500_000), seconds(500_000), 0.05)
