import { access } from 'node:fs/promises'
import type { Client, ConnectOptions } from '#client'
import type { Detected, Means } from '#client/evidence'
import { type CliError, invalid } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { unresolved } from '../did/unresolved.ts'
import { EXIT } from '../exit-codes.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { readEvidence, recording, replayed, writeEvidence } from './evidence.ts'
import { demandedWitnesses, keepLogs, knownKeys } from './known-keys.ts'
import { otherHash } from './other-hashes.ts'
import { type Told, told } from './told.ts'

const ONLINE = 'run it without --offline, or with the file of an earlier --evidence'

export async function verify(context: Context, given: Given): Promise<Result> {
  const what = argument(given, 0)
  const { detectFile, detectTyped, judge } = await import('#client/evidence')
  const isFile = await exists(context, what)
  const typed = isFile ? null : detectTyped(what)
  const refused = isFile || typed ? null : otherHash(what)
  if (refused) throw refused
  const bytes = typed ? null : await context.read(what)
  const detected = typed ?? detectFile(bytes ?? new Uint8Array())
  const needed: string[] = []
  const reached = await reach(context, given, detected, needed)
  const file = option(given, 'file')
  const realm = option(given, 'realm') ?? null
  const known = reached ? null : await knownKeys(context, realm)
  const means: Means = {
    client: reached?.client ?? null,
    realms: realm === null ? (reached?.client.realms ?? known?.realms ?? []) : [realm],
    expectedDid: option(given, 'did') ?? null,
    file: file === undefined ? null : await context.read(file),
    logKeyB64u: option(given, 'logKey') ?? null,
    witnesses: await demandedWitnesses(context),
    ...(known?.keys && { known: known.keys }),
    passphrase: () => context.passphrases.existing(what),
  }
  const verdict = await judge(detected, bytes, means).then(told, (error: unknown) => {
    // Offline, an answer that is missing decides nothing.
    if (needed.length > 0) return undecided(detected, needed[0] ?? '')
    // Core knows no keys of it.
    if (detected.kind === 'did' && isNotFound(error)) throw unresolved(what, '')
    throw isOfForm(error) ? malformed(detected) : error
  })
  await reached?.keep()
  return shown(context, verdict)
}

interface Reached {
  readonly client: Client
  /** How it was connected. */
  readonly options: ConnectOptions
  /** Writes the evidence, if that was asked for. */
  readonly keep: () => Promise<void>
}

async function reach(context: Context, given: Given, { kind }: Detected, needed: string[]): Promise<Reached | null> {
  const evidence = option(given, 'evidence')
  const path = evidence === undefined ? null : context.pathOf(evidence)
  const { Client } = await import('#client')
  if (flag(given, 'offline')) {
    if (path === null) return null
    const options = replayed(await readEvidence(path), needed)
    return { client: await Client.connect(options), options, keep: async () => {} }
  }
  // What is encrypted is opened here, or not at all, and a draft is nobody's yet.
  if (kind === 'export' || kind === 'sealed' || kind === 'draft') return null
  const connection = await context.connection()
  const recorded = recording(connection.fetch ?? fetch)
  const options = { ...connection, fetch: recorded.fetch }
  const client = await Client.connect(options)
  const keep = async () => {
    // For the day when nobody can be asked.
    if (kind === 'anchor' || kind === 'checkpoints') await keepLogs(client, options)
    if (path !== null) await writeEvidence(path, client, connection.core, recorded, context.environment.now())
  }
  return { client, options, keep }
}

function undecided({ kind }: Detected, address: string): Told {
  const notCompared = [{ check: 'evidence', detail: `It does not have ${address}` }]
  const missing = 'an answer of the services is missing'
  const open = { did: null, signer: null, order: null, proved: [], notCompared }
  return { kind, verdict: 'undecided', ...open, missing, next: ONLINE }
}

function shown({ output }: Context, { missing, ...verdict }: Told): Result {
  const { green, yellow } = output.colours
  const isValid = verdict.verdict === 'valid'
  const of = verdict.did === null ? '' : ` of ${verdict.did}`
  const open = missing === null ? '' : `, ${missing}`
  return {
    data: verdict,
    text: [
      `${isValid ? green('valid') : yellow('undecided')}: ${verdict.kind}${of}${open}`,
      ...verdict.proved.map(({ check, detail }) => `  ${green('ok')}  ${check}: ${detail}`),
      ...verdict.notCompared.map(({ check, detail }) => `  ${yellow('??')}  ${check}: ${detail}`),
      ...(verdict.next === null ? [] : [`Next: ${verdict.next}`]),
    ],
    exitCode: isValid ? EXIT.ok : EXIT.pending,
  }
}

/** A file is whatever somebody sent, so one of another form is invalid rather than a fault of `svc`. */
function isOfForm(error: unknown): boolean {
  return error instanceof Error && 'subject' in error && 'reason' in error && isMalformed(error)
}

const isMalformed = ({ subject, reason }: { readonly subject: unknown; readonly reason: unknown }) =>
  subject === 'evidence' && reason === 'malformed'

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'error' in error && error.error === 'not_found'
}

function malformed({ kind }: Detected): CliError {
  return invalid('malformed', `This looks like ${kind}, and does not have its form`, 'ask for another copy')
}

/** A file may be named like a hash. */
async function exists(context: Context, path: string): Promise<boolean> {
  return access(context.pathOf(path)).then(
    () => true,
    () => false,
  )
}
