import { join } from 'node:path'
import type { Commitment, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { writeNew } from '../files.ts'
import { argument, flag, type Given, option, type Result } from '../result.ts'
import { numbered } from '../sheets/numbered.ts'
import { recoveryFileOf, renewed, writeRecoveryFile } from '../sheets/recovery-file.ts'
import { rootNow } from '../sheets/root-now.ts'
import { typedSheet } from '../sheets/typed-sheet.ts'
import { afterANewKey, linesOfEnded } from './activate.ts'
import { encryptedKeyIn, isForSheets, recoveryKeyIn, requestsIn } from './recovery-key.ts'
import { senderFor } from './sender.ts'
import { type OpenedKeys, takeOver } from './take-over.ts'

export async function prepare(context: Context, given: Given): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  if (!keys.identity)
    throw locked('key_missing', 'A recovery is prepared by the root key', 'run it where the root key is')
  const { commitment } = await rootNow(context, did, keys)
  if (keys.sheets.length > 0) return prepareForSheets(context, given, { did, keys, passphrase, commitment })
  // The identity could not rotate to a new recovery key, because it has committed to the keys of its sheets.
  if (commitment.next.length > 0)
    throw usage('This machine has no record of the sheets of the identity', 'svc recovery confirm, for each sheet')
  const { realm } = await context.profile()
  const path = context.pathOf(option(given, 'out') ?? join(context.folders.data, 'recovery', `${did.slice(8)}.json`))
  if (context.options.dryRun) return { data: { did, recovery: path }, text: `Would write ${path}.` }
  const { kept, successor } = await keys.identity.prepareRecovery({ realm, now: context.environment.now() })
  const { KeyFile } = await import('#client/node')
  await new KeyFile(path).save({ identity: successor }, passphrase)
  await context.keys.write(did, { ...keys, recovery: kept }, passphrase)
  context.output.warn(`${path} has the recovery key: move it away from this machine.`)
  return { data: { did, recovery: path }, text: `Wrote ${path}` }
}

/** Writes the recovery file of the current root key, for the sheets that are recorded on this machine. */
async function prepareForSheets(
  context: Context,
  given: Given,
  { did, keys, passphrase, commitment }: OpenedKeys & { readonly commitment: Commitment },
) {
  const { identity, sheets } = keys
  if (!identity) throw new TypeError('The root key is not on this machine')
  const kept = await renewed(context, identity, { sheets, commitment })
  const chosen = option(given, 'out')
  const path = chosen === undefined ? recoveryFileOf(context, kept) : context.pathOf(chosen)
  if (context.options.dryRun) return { data: { did, recovery: path }, text: `Would write ${path}.` }
  await writeRecoveryFile(context, path, kept)
  await context.keys.write(did, { ...keys, recovery: kept }, passphrase)
  return { data: { did, recovery: path }, text: `Wrote ${path}` }
}

export async function recoveryStatus(context: Context): Promise<Result> {
  const keys = await context.ownKeys()
  const client = await context.clientOf(keys)
  const status = await client.recovery(preparedOf(keys)).status()
  return { data: status, text: status.summary, exitCode: codeOf(status.stage) }
}

/** What was kept is signed already: it needs neither the root key nor a device. */
export async function forOperator(context: Context, given: Given): Promise<Result> {
  const keys = await context.ownKeys()
  const kept = await completed(context, given, preparedOf(keys))
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
  if (!isForSheets(kept)) return kept
  const { completedRecovery } = await import('#client/functions')
  const typed = await typedSheet(context, option(given, 'words'))
  return completedRecovery(kept, await typed.successor({ scope: kept.scope, epoch: kept.epoch }))
}

/**
 * Recovers with the recovery key or the words of a sheet, and with a device or the root key of this machine. Without
 * either of these, the words and the recovery file suffice.
 */
export async function runRecovery(context: Context, given: Given): Promise<Result> {
  const requests = option(given, 'requests')
  const file = requests === undefined ? null : await requestsIn(context, requests)
  const { did, keys, passphrase } = await keysFor(context, file)
  const kept = file ?? preparedOf(keys)
  const successor = await recoveryKeyIn(context, argument(given, 0), kept)
  const client = await senderFor(context, keys, kept)
  const [device] = keys.devices
  if (context.options.dryRun) {
    const status = await client.recovery(kept).status()
    return {
      data: { status, acts: [], needs: null, request: null, ended: [] },
      text: `Would go on from here: ${status.summary}`,
    }
  }
  const progress = await client.recovery(kept).recover({
    successor,
    ...(device && { device }),
    ...(keys.identity && { rootCopy: keys.identity }),
  })
  const { stage, summary } = progress.status
  if (stage === 'done') {
    // With the requests, so that a second run finds them even without --requests.
    const opened = { did, keys: { ...keys, recovery: kept }, passphrase }
    const { ended, recovery } = await takeOver(context, opened, successor)
    return { data: { ...progress, ended }, text: [summary, ...linesOfEnded(ended), afterANewKey(recovery)] }
  }
  const needs = progress.needs === null ? [] : [`Needs the ${progress.needs}. See /developer/rotate-or-lose-a-key`]
  return {
    data: { ...progress, ended: [] },
    text: [summary, ...needs],
    exitCode: progress.needs === null ? codeOf(stage) : EXIT.pending,
  }
}

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

/** Opens the keys of the profile's identity. On a new machine, starts an empty set for the identity of the file. */
async function keysFor(context: Context, file: KeptRecovery | null): Promise<OpenedKeys> {
  const { did: current } = await context.profile()
  const did = current ?? file?.did ?? (await context.did())
  if (file && file.did !== did) throw usage(`The requests are for ${file.did}`, 'use the profile of that identity')
  if (!file || (await context.keys.has(did))) return { did, ...(await context.keys.open(did)) }
  const passphrase = await context.keys.newPassphrase(did, { inKeychain: false })
  return { did, keys: { identity: null, former: [], devices: [], recovery: null, sheets: [] }, passphrase }
}

function preparedOf({ recovery }: KeySet) {
  if (recovery) return recovery
  throw locked(
    'no_recovery',
    'No recovery is prepared on this machine',
    'svc recovery prepare, while the root key works',
  )
}

function codeOf(stage: string): ExitCode {
  if (stage === 'done' || stage === 'ready') return EXIT.ok
  return stage === 'void' || stage === 'blocked' ? EXIT.refused : EXIT.pending
}
