import { readFileSync } from 'node:fs'
import { Transport } from '@svc/client'
import { visibleLineOf, visibleOf } from '@svc/client/text'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { readSeed, seedFileOf } from '@svc/platform/seed-file'
import { resolveFromCaller } from '@svc/platform/workspace'
import { type ListKeys, listKeysSchema } from '@svc/protocol/merkle/log-list'
import { parseVerifierKey, type VerifierKey } from '@svc/tlog/note-keys'
import { witnessKeysOf } from '@svc/witnessing/keys'
import { type FingerprintedList, listKeysWith } from '@svc/witnessing/list-keys'
import { RunningWitness, type WitnessedLog } from '@svc/witnessing/running-witness'
import { WitnessStore } from '@svc/witnessing/witness-store'

const HELP = `Usage: scripts/witness --name NAME [options]

Runs a witness: it cosigns a log's checkpoint if it extends the last one that it cosigned. It serves POST /add-checkpoint
in the form of c2sp.org/tlog-witness, and follows the logs of a deployment: of its key directory, and of anchors.

  --name NAME       the name of its keys, a URL without the scheme, for example witness.example/w1
  --seed FILE       what all its keys are made from: a file with 64 hex characters that only you can read, or a pipe
                    (default: the file that the environment variable WITNESS_SEED_FILE names)
  --state FILE      the SQLite file with what it has cosigned (default witness.sqlite). Never go back to a copy of it
  --log KEY         a verifier key of a log to cosign, name+id+key; repeatable. The name is the log's origin
  --port N          the port to listen on (default 8800)
  --host HOST       the address to listen on (default 127.0.0.1)
  --keys URL        a key directory whose log to follow and to cosign
  --core URL        a core whose logs of anchors to follow and to cosign, at most once a minute
  --realm REALM     the realm of the deployment; needed with --keys and --core
  --fingerprint FP  the fingerprint of the keys of its signed list, from another source; needed with --keys and --core
  --list-keys FILE  instead, these keys as JSON
  --origin ORIGIN   the Origin sent with a cosignature (default http://localhost:3000)
  --every SECONDS   how often to follow it (default 15)
  --show-keys       print the verifier keys and the public key for WITNESS_KEYS, and exit
  --evidence        print the checkpoints that were refused as contradictions, and exit with 1 if there are any
  --help            show this`

await runEntry({
  name: 'scripts/witness',
  help: HELP,
  options: {
    name: { type: 'string' },
    seed: { type: 'string' },
    state: { type: 'string', default: 'witness.sqlite' },
    log: { type: 'string', multiple: true, default: [] },
    port: { type: 'string', default: '8800' },
    host: { type: 'string', default: '127.0.0.1' },
    keys: { type: 'string' },
    core: { type: 'string' },
    realm: { type: 'string' },
    fingerprint: { type: 'string' },
    'list-keys': { type: 'string' },
    origin: { type: 'string', default: 'http://localhost:3000' },
    every: { type: 'string', default: '15' },
    'show-keys': { type: 'boolean', default: false },
    evidence: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const state = resolveFromCaller(values.state)
    if (values.evidence) return printEvidence(state)
    if (values.name === undefined) throw new UsageError('--name is required')
    const seed = seedFileOf(values.seed, 'WITNESS_SEED_FILE')
    if (seed === undefined) throw new UsageError('--seed is required')
    const keys = await witnessKeysOf(values.name, readSeed(seed))
    if (values['show-keys']) return printKeys(keys.cosigners, keys.publicKeyB64u)
    const { keys: url, core, realm, origin } = values
    const isFollowing = url !== undefined || core !== undefined
    if (isFollowing && realm === undefined) throw new UsageError('--keys and --core need --realm')
    const transport = new Transport({ realm: realm ?? '', origin })
    const lists = url === undefined ? `${core}/api/logs` : `${url}/api/transparency/logs`
    const listKeys = isFollowing ? await listKeysFrom(values, { transport, url: lists }) : null
    const everySeconds = wholeNumber('--every', values.every, { from: 1 })
    const witness = await RunningWitness.start({
      keys,
      state,
      host: values.host,
      port: wholeNumber('--port', values.port, { to: 65_535 }),
      logs: logsOf(values.log),
      onLine: (line) => console.log(visibleLineOf(line)),
    })
    if (listKeys) witness.follow({ keys: url, core, transport, listKeys }, everySeconds)
    console.log(`${keys.name} listens at ${witness.url}`)
    await signalled()
    await witness.stop()
    return 0
  },
})

/** Several keys of one name are keys of one log. */
function logsOf(texts: readonly string[]): WitnessedLog[] {
  const keys = texts.map((text): VerifierKey => {
    const key = parseVerifierKey(text)
    if (!key) throw new UsageError(`--log takes a verifier key with Ed25519 or ML-DSA-44, not ${text.slice(0, 80)}`)
    return key
  })
  return [...Map.groupBy(keys, ({ name }) => name)].map(([origin, own]) => ({ origin, keys: own }))
}

/** Keys must come from another source: a service could show any. */
function listKeysFrom(
  given: { readonly fingerprint?: string | undefined; readonly 'list-keys'?: string | undefined },
  shown: Omit<FingerprintedList, 'fingerprint'>,
): Promise<ListKeys> | ListKeys {
  const { fingerprint, 'list-keys': path } = given
  if (path !== undefined) return listKeysSchema.parse(JSON.parse(readFileSync(resolveFromCaller(path), 'utf8')))
  if (fingerprint === undefined) throw new UsageError('--keys and --core need --fingerprint or --list-keys')
  return listKeysWith({ ...shown, fingerprint })
}

function printKeys(cosigners: readonly { readonly verifierKey: string }[], publicKeyB64u: string): number {
  for (const { verifierKey } of cosigners) console.log(verifierKey)
  console.log(publicKeyB64u)
  return 0
}

function printEvidence(state: string): number {
  const store = new WitnessStore(state)
  const evidence = store.evidence()
  for (const { origin, at, known, refused, isFork } of evidence) {
    const what = isFork ? 'a fork' : 'a checkpoint without a valid proof'
    console.log(`${origin}, ${new Date(at).toISOString()}: ${what}`)
    console.log(visibleOf(`\nCosigned before:\n\n${known ?? 'nothing'}\n\nRefused:\n\n${refused}\n`))
  }
  store.close()
  return evidence.length === 0 ? 0 : 1
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
