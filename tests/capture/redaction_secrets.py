"""Secrets of many kinds, as they stand in cells and outputs."""

from __future__ import annotations

import json

from tests.capture.redaction_parts import JWT, PRIVATE, Case, b64, code, hexa, odd, out, pem

_PEM = pem(f"RSA {PRIVATE}", "rsa")
_SSH = pem(f"OPENSSH {PRIVATE}", "ssh")
_GCP = {"type": "service_account", "project_id": "p1", "private_key": _PEM + "\n", "client_email": "a@p1.example"}
_AWS_ID = "AKIA" + odd(16, "aws", "ABCDEFGHIJ234567")[:14] + "QR"
_AWS_SECRET = odd(38, "awssecret") + "/+"


def _token(name: str, prefix: str, rest: str) -> Case:
    """Make a case of a token of a known form, alone in a line of output."""
    return out(name, f"using {prefix}{rest} now", prefix + rest)


TOKENS: tuple[Case, ...] = (
    _token("openai", "sk-", odd(48, "openai")),
    _token("openai-project", "sk-proj-", odd(60, "proj") + "_" + odd(20, "proj2")),
    _token("anthropic", "sk-ant-api03-", odd(90, "anthropic")),
    _token("openrouter", "sk-or-v1-", hexa(64, "router")),
    _token("stripe-live", "sk_" + "live_", odd(24, "stripe")),
    _token("stripe-restricted", "rk_" + "test_", odd(24, "stripe2")),
    _token("stripe-webhook", "whsec_", odd(32, "whsec")),
    _token("github-classic", "ghp_", odd(36, "ghp")),
    _token("github-oauth", "gho_", odd(36, "gho")),
    _token("github-server", "ghs_", odd(36, "ghs")),
    _token("github-fine-grained", "github_pat_", odd(22, "pat") + "_" + odd(59, "pat2")),
    _token("gitlab", "glpat-", odd(20, "gl")),
    _token("gitlab-deploy", "gldt-", odd(20, "gldt")),
    _token("gitlab-runner", "glrt-", odd(20, "glrt")),
    _token("hugging-face", "hf_", odd(34, "hf")),
    _token("slack-bot", "xox" + "b-", "123456789012-1234567890123-" + odd(24, "xoxb")),
    _token("slack-app", "xapp-", "1-A0123-456-" + hexa(40, "xapp")),
    out(
        "slack-webhook", "https://hooks.slack.com/services/T0AB/B0CD/" + odd(24, "hook"), "T0AB/B0CD/" + odd(24, "hook")
    ),
    out("discord-webhook", "https://discord.com/api/webhooks/1234567890/" + odd(68, "dis"), odd(68, "dis")),
    _token("google-api", "AI" + "zaSy", odd(33, "goog")),
    _token("google-oauth", "ya29.", odd(60, "ya29")),
    _token("google-client", "GOCSPX-", odd(28, "gocspx")),
    _token("aws-key-id", "", _AWS_ID),
    _token("npm", "npm_", odd(36, "npm")),
    _token("pypi", "pypi-AgEIcHlwaS5vcmc", odd(120, "pypi")),
    _token("sendgrid", "SG.", odd(22, "sg") + "." + odd(43, "sg2")),
    _token("digital-ocean", "dop_v1_", hexa(64, "dop")),
    _token("databricks", "dapi", hexa(32, "dapi")),
    _token("telegram", "", "123456789:AA" + odd(33, "tg")),
    _token("groq", "gsk_", odd(52, "groq")),
    _token("xai", "xai-", odd(80, "xai")),
    _token("replicate", "r8_", odd(37, "r8")),
    _token("perplexity", "pplx-", odd(48, "pplx")),
    _token("docker-hub", "dckr_pat_", odd(27, "dckr")),
    _token("vault", "hvs.", odd(90, "hvs")),
    _token("linear", "lin_api_", odd(40, "lin")),
    _token("twilio", "SK", hexa(32, "twilio")),
    _token("mailgun", "key-", hexa(32, "mailgun")),
    _token("mailchimp", "", hexa(32, "chimp") + "-us12"),
    _token("shopify", "shpat_", hexa(32, "shop")),
    _token("pinecone", "pcsk_", odd(60, "pcsk")),
    _token("langsmith", "lsv2_pt_", hexa(32, "ls") + "_" + hexa(10, "ls2")),
    _token("kaggle-token", "KGAT_", hexa(32, "kgat")),
    _token("figma", "figd_", odd(40, "figd")),
    _token("azure-client-secret", "", odd(3, "az") + "8Q~" + odd(34, "az2")),
    _token("terraform", "", odd(14, "tf") + ".atlasv1." + odd(67, "tf2")),
    _token("grafana", "glsa_", odd(32, "glsa") + "_" + hexa(8, "glsa2")),
    _token("age", "AGE-SECRET-" + "KEY-1", odd(58, "age", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    out("jwt", f"jwt: {JWT}", JWT),
    out("jwt-without-signature", JWT.rpartition(".")[0], JWT.rpartition(".")[0]),
    out("pem", _PEM, _PEM),
    out("pem-cut", _PEM[:120], _PEM[:120]),
    out("pem-openssh", f"reading id_ed25519\n{_SSH}\ndone", _SSH),
)

IN_TEXT: tuple[Case, ...] = (
    out("gcp-service-account", json.dumps(_GCP, indent=2), json.dumps(_PEM)[1:-1]),
    code("gcp-service-account-code", f"info = {_GCP!r}", repr(_PEM)[1:-1]),
    out("aws-credentials-file", f"[default]\naws_secret_access_key = {_AWS_SECRET}", _AWS_SECRET),
    out("aws-session", f"{{'SessionToken': '{b64(90, 'sess')}', 'n': 1}}", b64(90, "sess")),
    out("azure-connection", f"AccountName=a;AccountKey={b64(64, 'azs')};EndpointSuffix=b", b64(64, "azs")),
    out("azure-bus", f"Endpoint=sb://x/;SharedAccessKey={b64(32, 'bus')}", b64(32, "bus")),
    out("azure-sas", f"https://x.blob/c?se=1&sig={odd(43, 'sas')}%3D&x=1", odd(43, "sas") + "%3D"),
    out("aws-presigned", f"https://b.s3/k?X-Amz-Signature={hexa(64, 'amz')}", hexa(64, "amz")),
    out("basic-auth-url", "https://user:s3cr3t@example.org:8080/x", "s3cr3t"),
    out("postgres-url", "postgresql+psycopg://app:river-9@db:5432/prod", "river-9"),
    out("mongo-url", "mongodb+srv://app:Tr0ub4dor@c0.example.net/?w=majority", "Tr0ub4dor"),
    out("redis-url", "redis://:quiet-owl@cache:6379/0", "quiet-owl"),
    out("git-remote-url", f"origin https://ann:{odd(30, 'remote')}@git.example.org/r.git (fetch)", odd(30, "remote")),
    out("sql-server-connection", "Server=db;Database=x;User Id=sa;Password=blue4horse;Encrypt=yes", "blue4horse"),
    out("bearer-header", f"curl -H 'Authorization: Bearer {odd(40, 'bear')}' https://x", odd(40, "bear")),
    out("basic-header", "{'Authorization': 'Basic " + b64(14, "basic") + "'}", b64(14, "basic")),
    out("api-key-header", f"curl -H 'x-api-key: {odd(20, 'xapi')}' https://x", odd(20, "xapi")),
    out("header-lines", f"GET / HTTP/1.1\nX-Auth-Token: {odd(24, 'xauth')}\nAccept: */*", odd(24, "xauth")),
    out("cookie-header", f"Cookie: theme=dark; sessionid={odd(32, 'cook')}; lang=en", odd(32, "cook")),
    out("set-cookie", f"Set-Cookie: csrftoken={odd(32, 'csrf')}; Path=/", odd(32, "csrf")),
    code("requests-cookies", f"requests.get(u, cookies={{'sessionid': '{odd(32, 'rc')}'}})", odd(32, "rc")),
    code("requests-auth-pair", "requests.get(url, auth=('ann', 'blue4horse'))", "blue4horse"),
    code("smtp-login", "server.login('ann@example.org', 'blue4horse')", "blue4horse"),
    out("jupyter-url", f"http://localhost:8888/lab?token={hexa(48, 'jup')}", hexa(48, "jup")),
    out("netrc", "machine api.example.org login ann password blue4horse", "blue4horse"),
    out("netrc-lines", "machine api.example.org\n  login ann\n  password blue4horse", "blue4horse"),
    out("kaggle-json", f'{{"username":"ann","key":"{hexa(32, "kag")}"}}', hexa(32, "kag")),
    out("docker-config", f'{{"auths": {{"r.example": {{"auth": "{b64(20, "dock")}"}}}}}}', b64(20, "dock")),
    out("npmrc", f"//registry.example.org/:_authToken={odd(36, 'rc')}", odd(36, "rc")),
    out("pip-conf", "index-url = https://ann:blue4horse@pypi.example.org/simple", "blue4horse"),
    out("env-dump", f"HOME=/root\nWANDB_API_KEY={hexa(40, 'wandb')}\nLANG=C", hexa(40, "wandb")),
    out("environ-repr", f"environ({{'HOME': '/root', 'DB_PASS': 'river-9', 'N': '{5}'}})", "river-9"),
    code("dotenv-file", "%%writefile .env\nDEBUG=1\nSECRET_KEY=a-b$c!9", "a-b$c!9"),
    out("flag-equals", "run --password=river-9 --verbose", "river-9"),
    out("flag-space", "run --api-key abc123 --verbose", "abc123"),
    code("mysql-flag", "!mysql -u root -pblue4horse shop", "blue4horse"),
    code("curl-user", "!curl -u ann:blue4horse https://x", "blue4horse"),
    code("env-magic", "%env OPENAI_API_KEY=abc", "abc"),
    code("set-env-magic", "%set_env API_KEY abc", "abc"),
    code("bash-cell", "%%bash\nexport DB_PASS=river-9\necho $DB_PASS", "river-9"),
    code("comment", "# password=hunter2", "hunter2"),
)
