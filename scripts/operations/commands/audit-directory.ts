import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Transport } from '@svc/client'
import {
  type AuditReport,
  type AuditState,
  auditStateSchema,
  cosign,
  LogAuditor,
  type Verifies,
} from '@svc/client/audit'
import { runEntry, UsageError, wholeNumber } from '@svc/platform/entry'
import { readSeed, seedFileOf } from '@svc/platform/seed-file'
import { DEFAULT_PORT_BASE, portOf, resolveFromCaller } from '@svc/platform/workspace'
import { type ListKeys, listKeysSchema } from '@svc/protocol/merkle/log-list'

const HELP = `Usage: scripts/audit-directory [options]

Follows the transparency log of a key directory from outside: recomputes its tree from the entries and compares it with
the states that the directory signs, and every map of accounts with the updates. Exits with 1 on a rewrite, a fork or a missing leaf, and with 3 if the directory
cannot be audited.

  --keys URL        the key directory (default http://localhost:${portOf('keys', DEFAULT_PORT_BASE)})
  --realm REALM     the realm of the deployment (default http://localhost:${portOf('core', DEFAULT_PORT_BASE)})
  --list-keys FILE  JSON of the log list's keys (default: those of the first visit, kept in the state file)
  --state FILE      the auditor's state, read at the start and written after each visit (default audit-state.json)
  --leaf ID         a leaf that the log must contain; repeatable
  --every SECONDS   repeat the visit
  --log-only        do not recompute the maps of accounts, which needs all entries at every start
  --cosign          sign each verified state as a witness
  --seed FILE       with --cosign, the witness's seed: a file with 64 hex characters that only you can read, or a pipe
                    (default: the file that the environment variable WITNESS_SEED_FILE names)
  --origin ORIGIN   the Origin sent with a cosignature (default http://localhost:3000)
  --help            show this`

interface Audit {
  readonly transport: Transport
  readonly keys: string
  readonly listKeys: ListKeys | undefined
  readonly file: string
  readonly leaves: readonly string[]
  readonly everySeconds: number | undefined
  /** Of the witness that cosigns; null without `--cosign`. */
  readonly seed: Uint8Array | null
  readonly verifies: Verifies
}

/** Failing to reach a directory proves nothing against it, so it has its own status. */
const NOT_AUDITED = 3

await runEntry({
  name: 'scripts/audit-directory',
  help: HELP,
  options: {
    keys: { type: 'string', default: `http://localhost:${portOf('keys', DEFAULT_PORT_BASE)}` },
    'list-keys': { type: 'string' },
    realm: { type: 'string', default: `http://localhost:${portOf('core', DEFAULT_PORT_BASE)}` },
    state: { type: 'string', default: 'audit-state.json' },
    leaf: { type: 'string', multiple: true, default: [] },
    every: { type: 'string' },
    'log-only': { type: 'boolean', default: false },
    cosign: { type: 'boolean', default: false },
    seed: { type: 'string' },
    origin: { type: 'string', default: 'http://localhost:3000' },
  },
  async run({ values }) {
    const { keys, leaf: leaves } = values
    const everySeconds = values.every === undefined ? undefined : wholeNumber('--every', values.every, { from: 1 })
    const transport = new Transport({ realm: values.realm, origin: values.origin })
    const file = resolveFromCaller(values.state)
    const keysFile = values['list-keys']
    const listKeys = keysFile === undefined ? undefined : readListKeys(resolveFromCaller(keysFile))
    const verifies = values['log-only'] ? 'log' : 'log+map'
    const seed = values.cosign ? witnessSeed(values.seed) : null
    return audit({ transport, keys, listKeys, file, leaves, everySeconds, seed, verifies }).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error))
      return NOT_AUDITED
    })
  },
})

async function audit({
  transport,
  keys,
  listKeys,
  file,
  leaves,
  everySeconds,
  seed,
  verifies,
}: Audit): Promise<number> {
  let state: AuditState | null = existsSync(file)
    ? auditStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    : null
  if (!state && !listKeys) console.log('No --list-keys given: trusting the keys of the log list, from now on.')
  const auditor = new LogAuditor(transport, keys, listKeys, verifies)
  for (;;) {
    const visit = await auditor.safeFollow(state)
    if (!visit.ok) return found(visit.error.reason)
    state = visit.value.state
    const { log, size, root } = state.checkpoint.statement
    console.log(
      `${log}: ${size} leaves, ${visit.value.updates.length} new updates, root ${root.slice(0, 16)}…: verified`,
    )
    for (const leafId of leaves) {
      const leaf = await auditor.safeFind(leafId)
      if (!leaf.ok) return found(`${leaf.error.reason} ${leafId}`)
    }
    writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`)
    renameSync(`${file}.new`, file)
    if (seed && size > 0) await cosigned({ transport, keys, seed }, visit.value)
    if (everySeconds === undefined) return 0
    await new Promise((resolve) => setTimeout(resolve, everySeconds * 1000))
  }
}

/** Leaves the state file as it was: together with the directory's response it is the evidence. */
function found(what: string): number {
  console.error(`The log failed verification: ${what}.`)
  return 1
}

function readListKeys(path: string): ListKeys {
  return listKeysSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
}

function witnessSeed(option: string | undefined): Uint8Array {
  const file = seedFileOf(option, 'WITNESS_SEED_FILE')
  if (file === undefined) throw new UsageError('--cosign needs --seed')
  return readSeed(file)
}

async function cosigned(
  { transport, keys, seed }: Pick<Audit, 'transport' | 'keys'> & { readonly seed: Uint8Array },
  report: AuditReport,
): Promise<void> {
  const witness = await cosign(transport, keys, report, { seed })
  console.log(`Cosigned ${report.state.checkpoint.statement.size} leaves as ${witness.slice(0, 16)}….`)
}
