import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type AuditState, auditStateSchema, LogAuditor, mlDsa65, Transport } from '@svc/client'
import { encodeBase64url } from '@svc/protocol/base64url'
import { userIdOf } from '@svc/protocol/identity'
import { signStatement } from '@svc/protocol/statement'
import { checkpointAnswerSchema } from '@svc/protocol/transparency'
import { DEFAULT_PORT_BASE, firstSentence, portOf, resolveFromCaller } from './lib/workspace.ts'

const USAGE = `Usage: scripts/audit-directory [options]

Follows the transparency log of a key directory from outside: computes its tree again from the entries and compares it
with what the directory signs. Ends with 1 on a rewrite, a fork or a missing leaf.

Options:
  --keys URL        the key directory (default http://localhost:${portOf('keys', DEFAULT_PORT_BASE)})
  --key B64U        its key, known from elsewhere; else that of the first visit, kept in the state file, is held to
  --state FILE      where the auditor was: read at the start and written after each visit (default audit-state.json)
  --leaf ID         a leaf that must be there; may be repeated
  --every SECONDS   visits again and again
  --cosign          signs each state that holds as a witness; WITNESS_SEED in the environment, 64 hex characters
  --origin ORIGIN   what to send as Origin with a cosignature (default http://localhost:3000)
  --help            show this`

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: `http://localhost:${portOf('keys', DEFAULT_PORT_BASE)}` },
    key: { type: 'string' },
    state: { type: 'string', default: 'audit-state.json' },
    leaf: { type: 'string', multiple: true, default: [] },
    every: { type: 'string' },
    cosign: { type: 'boolean', default: false },
    origin: { type: 'string', default: 'http://localhost:3000' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else process.exitCode = await run().catch(failed)

function failed(error: unknown): number {
  console.error(firstSentence(error))
  return 2
}

async function run(): Promise<number> {
  const transport = new Transport({ origin: values.origin })
  const file = resolveFromCaller(values.state)
  let state: AuditState | null = existsSync(file)
    ? auditStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    : null
  const key = values.key ?? state?.checkpoint.publicKeyB64u ?? (await shownKey(transport))
  const auditor = new LogAuditor(transport, values.keys, key)
  for (;;) {
    const visit = await auditor.follow(state)
    if (!visit.ok) return found(visit.error.reason)
    state = visit.value.state
    const { size, root } = state.checkpoint.statement
    console.log(`${size} leaves, ${visit.value.leaves.length} new, root ${root.slice(0, 16)}…: holds`)
    for (const leafId of values.leaf) {
      const leaf = await auditor.find(leafId)
      if (!leaf.ok) return found(`${leaf.error.reason} ${leafId}`)
    }
    writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`)
    renameSync(`${file}.new`, file)
    if (values.cosign && size > 0) await cosign(transport, state)
    if (values.every === undefined) return 0
    await new Promise((resolve) => setTimeout(resolve, Number(values.every) * 1000))
  }
}

/** The state file is left as it was: with the answer of the directory it is the evidence. */
function found(what: string): number {
  console.error(`The log does not hold: ${what}.`)
  return 1
}

async function shownKey(transport: Transport): Promise<string> {
  const call = { method: 'GET', url: `${values.keys}/api/transparency/checkpoint` } as const
  const { checkpoint } = await transport.data(call, checkpointAnswerSchema)
  console.log('No key was given: the one that the directory shows is held to from now on.')
  return checkpoint.publicKeyB64u
}

async function cosign(transport: Transport, { checkpoint }: AuditState): Promise<void> {
  const seedHex = process.env['WITNESS_SEED'] ?? ''
  if (!/^[0-9a-f]{64}$/.test(seedHex)) throw new Error('WITNESS_SEED must be 64 lowercase hex characters')
  const seed = new Uint8Array(Buffer.from(seedHex, 'hex'))
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const { log, size, root } = checkpoint.statement
  const type = 'svc/transparency-cosignature/v1'
  const statement = { type, log, size, root, witness: userIdOf(publicKey), issuedAt: Date.now() } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const body = { ...signed, publicKeyB64u: encodeBase64url(publicKey) }
  await transport.send({ method: 'POST', url: `${values.keys}/api/transparency/cosignatures`, body })
  console.log(`Cosigned ${size} leaves as ${userIdOf(publicKey).slice(0, 16)}….`)
}
