import type { Identity, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { type NamedSheets, namedSheets, refuseMissing } from '../sheets/named-sheets.ts'
import { numbered } from '../sheets/numbered.ts'
import { recoveryFileOf, renewed, writeRecoveryFile } from '../sheets/recovery-file.ts'
import { recordOfTyped, typedSheet } from '../sheets/typed-sheet.ts'
import { afterANewKey, linesOfEnded } from './activate.ts'
import { encryptedKeyIn, recoveryKeyIn, requestsIn } from './recovery-key.ts'
import { currentRoot } from './root-here.ts'
import { proceed } from './sender.ts'
import { type OpenedKeys, takeOver } from './take-over.ts'

/** Writes the recovery file of the current root key; for an identity without sheets, writes a recovery key. */
export async function prepare(context: Context, given: Given): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const { identity } = keys
  if (!identity) throw locked('key_missing', 'A recovery is prepared by the root key', 'run it where the root key is')
  const named = await namedSheets(keys.sheets, await currentRoot(await context.clientOf(keys), identity))
  refuseMissing(named)
  const chosen = option(given, 'out')
  const path =
    chosen === undefined ? recoveryFileOf(context, { did, epoch: identity.epoch + 1 }) : context.pathOf(chosen)
  await mustBeNew(path)
  const replacesKey = named.records.length === 0 && keys.recovery?.epoch === identity.epoch + 1
  if (replacesKey)
    await context.confirm(
      'A new recovery key makes the file and the paper of the one that you have useless. Replace it?',
    )
  if (context.options.dryRun) return { data: { did, recovery: path }, text: `Would write ${path}.` }
  // Without a commitment, the next root key can be any key. With one, it must be the key of a sheet.
  const kept =
    named.records.length === 0
      ? await newRecoveryKey(context, path, { identity, passphrase })
      : await newRecoveryFile(context, path, { identity, named })
  await context.keys.write(did, { ...keys, sheets: named.records, recovery: kept }, passphrase)
  return { data: { did, recovery: path }, text: `Wrote ${path}` }
}

async function newRecoveryKey(
  context: Context,
  path: string,
  { identity, passphrase }: { readonly identity: Identity; readonly passphrase: Secret },
): Promise<KeptRecovery> {
  const { realm } = await context.profile()
  const { kept, successor } = await identity.prepareRecovery({ realm, now: context.environment.now() })
  const { KeyFile } = await import('#client/node')
  await new KeyFile(path).save({ identity: successor }, passphrase)
  context.output.warn(`${path} has the recovery key: move it away from this machine.`)
  return kept
}

async function newRecoveryFile(
  context: Context,
  path: string,
  { identity, named }: { readonly identity: Identity; readonly named: NamedSheets },
): Promise<KeptRecovery> {
  const kept = await renewed(context, identity, named)
  await writeRecoveryFile(context, path, kept)
  return kept
}

export async function recoveryStatus(context: Context): Promise<Result> {
  const keys = await context.ownKeys()
  const client = await context.clientOf(keys)
  const status = await client.recovery(preparedOf(keys)).status()
  return { data: status, text: status.summary, exitCode: codeOf(status.stage) }
}

/** What was kept is signed already: it needs neither the root key nor a device. */
export async function forOperator(context: Context, given: Given): Promise<Result> {
  const requests = await requestsGiven(context, given)
  const kept = await completed(context, given, requests ?? preparedOf(await context.ownKeys()))
  const file = context.pathOf(option(given, 'out') ?? 'request.json')
  const [client, { userIdOfKey }] = await Promise.all([context.client('nobody'), import('#client/functions')])
  const { rotationId, request } = await client.recovery(kept).forOperator()
  const newUserId = userIdOfKey(request.statement.newPublicKeyB64u)
  if (!context.options.dryRun) await writeNew(file, `${JSON.stringify(request, null, 2)}\n`)
  return {
    data: { file, rotationId, newUserId },
    text: [
      `${context.options.dryRun ? 'Would write' : 'Wrote'} ${file}`,
      `Next: send it to the operator with ${kept.did} and ${rotationId}`,
      `      and tell the operator, over a channel that you both trust, ${newUserId}`,
      'After the approval: svc recovery run, with the recovery key',
    ],
  }
}

/** Adds the signature of a sheet to requests that only the root key has signed. */
async function completed(context: Context, given: Given, kept: KeptRecovery): Promise<KeptRecovery> {
  if (kept.requests.every(({ newKeySignatureB64u }) => newKeySignatureB64u !== null)) return kept
  const { completedRecovery } = await import('#client/functions')
  const typed = await typedSheet(context, option(given, 'words'))
  return completedRecovery(kept, await typed.successor({ scope: kept.scope, epoch: kept.epoch }))
}

/**
 * Recovers with the recovery key or the words of a sheet, and with a device or the root key of this machine. Without
 * either of these, the words and the recovery file suffice.
 */
export async function runRecovery(context: Context, given: Given): Promise<Result> {
  const requests = await requestsGiven(context, given)
  const { did, keys, passphrase } = await keysFor(context, requests?.did ?? option(given, 'did'))
  const written = { file: argument(given, 0), text: await context.readText(argument(given, 0)) }
  const kept = requests ?? (await keptBy(context, { did, keys }, written.text))
  const { successor, sheet: typed } = await recoveryKeyIn(context, written, kept)
  const [device] = keys.devices
  if (context.options.dryRun) {
    const status = await (await context.client('nobody')).recovery(kept).status()
    return {
      data: { status, acts: [], needs: null, request: null, ended: [] },
      text: `Would go on from here: ${status.summary}`,
    }
  }
  const progress = await proceed(context, keys, kept, {
    successor,
    dispute: flag(given, 'dispute'),
    ...(device && { device }),
    ...(keys.identity && { rootCopy: keys.identity }),
  })
  const { stage, summary } = progress.status
  if (stage === 'done') {
    const sheets = typed ? [await recordOfTyped(context, typed, successor)] : []
    // With the requests, so that a second run finds them even without --requests.
    const opened = { did, keys: { ...keys, recovery: kept }, passphrase }
    const taken = await takeOver(context, opened, { successor, sheets })
    const { ended } = taken
    return { data: { ...progress, ended }, text: [summary, ...linesOfEnded(ended), afterANewKey(taken)] }
  }
  const needs = progress.needs === null ? [] : [`Needs the ${progress.needs}. See /developer/rotate-or-lose-a-key`]
  return {
    data: { ...progress, ended: [] },
    text: [summary, ...needs, ...(stage === 'void' && requests ? [NEWER_FILE] : [])],
    exitCode: progress.needs === null ? codeOf(stage) : EXIT.pending,
  }
}

const NEWER_FILE =
  'Next: pass the recovery file of the current root key. If you have none, leave out --requests: words alone take 30 days'

/** Prints the recovery key for paper, for a recovery without a file. */
export async function sheet(context: Context, given: Given): Promise<Result> {
  const file = argument(given, 0)
  const identity = await encryptedKeyIn(context, file, await context.readText(file))
  const { printedKey } = await import('#client/recovery-words')
  const { did, epoch, words, code } = printedKey(identity)
  const list = words.signing.split(' ')
  const qr = flag(given, 'qr') ? [(await import('qr')).encodeQR(code, 'ascii')] : []
  return {
    data: { did, epoch, words: list, code },
    text: [
      `Recovery key of ${did}, for epoch ${epoch}. Anyone who has it can take over the identity.`,
      '',
      ...numbered(list),
      '',
      'The same as a code, which also opens what is encrypted to this key:',
      code,
      ...qr,
    ],
  }
}

async function requestsGiven(context: Context, given: Given): Promise<KeptRecovery | null> {
  const file = option(given, 'requests')
  return file === undefined ? null : requestsIn(context, file)
}

/** Returns the requests that were prepared on this machine or, for words without valid ones, requests of the words alone. */
async function keptBy(context: Context, owner: Pick<OpenedKeys, 'did' | 'keys'>, text: string): Promise<KeptRecovery> {
  const { requestsByWords } = await import('./by-words.ts')
  return (await requestsByWords(context, owner, text)) ?? preparedOf(owner.keys)
}

/** Opens the keys of the profile's identity. On a new machine, starts an empty set for the identity that is named. */
async function keysFor(context: Context, named: string | undefined): Promise<OpenedKeys> {
  const { did: current } = await context.profile()
  const did = current ?? named ?? (await context.did())
  if (named !== undefined && named !== did)
    throw usage(`The recovery is for ${named}`, 'use the profile of that identity')
  if (await context.keys.has(did)) return { did, ...(await openedKeys(context, did)) }
  const passphrase = await context.keys.newPassphrase(did, { inKeychain: false })
  return { did, keys: { identity: null, former: [], devices: [], recovery: null, sheets: [] }, passphrase }
}

/** Opens the keys, or names a way without them: words and recovery file need none. */
async function openedKeys(context: Context, did: string): Promise<Omit<OpenedKeys, 'did'>> {
  return context.keys.open(did).catch((error: unknown) => {
    const isLocked = error instanceof Error && 'reason' in error && error.reason === 'not_opened'
    if (!isLocked) throw error
    const path = context.keys.pathOf(did)
    throw locked(
      'not_opened',
      `The passphrase does not open ${path}`,
      `type it again; if it is lost, move that file away and recover as on a new machine, with --requests or --did`,
    )
  })
}

function preparedOf({ recovery }: KeySet) {
  if (recovery) return recovery
  throw locked(
    'no_recovery',
    'No recovery is prepared on this machine',
    'svc recovery prepare, while the root key works; otherwise pass the recovery file with --requests',
  )
}

function codeOf(stage: string): ExitCode {
  if (stage === 'done' || stage === 'ready') return EXIT.ok
  return stage === 'void' || stage === 'blocked' ? EXIT.refused : EXIT.pending
}
