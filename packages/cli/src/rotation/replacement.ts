/**
 * Replaces sheets whose words are all lost (workers/docs/pages/developer/successors.md): the root key signs a request for
 * a key that the identity has not committed to, and a device with standing sends it with its co-signature.
 *
 * @module
 */
import type { Client, Commitment, Device, Identity, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import { CliError, locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { flag, type Given, list, option, type Result } from '../result.ts'
import { newSheets } from '../sheets/new-sheets.ts'
import { keptFor, NextKeys } from './next-keys.ts'
import { stepsOf } from './next-steps.ts'
import { linesOf, summaryOf } from './record-lines.ts'
import { currentRoot, rootHere } from './root-here.ts'
import { temporarySender } from './sender.ts'
import { signedRequestIn } from './signed-request.ts'

/** Signs the request as the root key, and writes it to a file. Sends nothing. */
export async function startReplacement(context: Context, given: Given): Promise<Result> {
  refuseOtherOptions(given)
  const file = context.pathOf(option(given, 'out') ?? 'request.json')
  await mustBeNew(file)
  const { did, keys, identity, passphrase } = await rootHere(context)
  const client = await context.clientOf(keys)
  await mustBeReplaceable(client, identity)
  if (context.options.dryRun)
    return {
      data: { version: 2, epoch: identity.epoch + 1, request: file },
      text: `Would make new sheets and a new root key, and write ${file}.`,
    }
  if (!context.environment.isTerminal && list(given, 'sheetFile').length === 0)
    throw usage(
      'New sheets are shown at a terminal, and there is none',
      'write their words to files: --sheet-file FILE FILE',
    )
  await context.confirm(`Make new sheets for ${did}, and a request that replaces the lost ones?`)
  const { successor, commitment, sheets } = await freshKeys(context, given, identity)
  const request = await client.rotation.makeRequest(successor, { version: 2, commitment })
  const kept = await keptFor(request, { successor, sheets })
  const path = await new NextKeys(context, did).save(kept, passphrase)
  await writeNew(file, `${JSON.stringify(request, null, 2)}\n`)
  const { userId: newUserId, epoch } = successor
  return {
    data: {
      rotationId: kept.rotationId,
      kind: 'rotation',
      status: 'unsent',
      basis: 'replacement',
      version: 2,
      epoch,
      deadline: null,
      cosignatures: 0,
      keys: path,
      newUserId,
      request: file,
    },
    text: [
      `Wrote ${file}`,
      `New key   ${path}`,
      'Next: copy the request to a device of the identity that may co-sign, and run svc rotate cosign --request FILE there',
      'It then waits for 30 days, and the words of any lost sheet can end it. After that: svc rotate activate, on this machine',
    ],
  }
}

/** Sends a request that the root key has signed, with the co-signature of this machine's device. */
export async function cosignRequest(context: Context, given: Given, file: string): Promise<Result> {
  const did = await context.did()
  const request = await signedRequestIn(context, file, did)
  const { statement } = request
  const { rotationIdOf, userIdOfKey } = await import('#client/functions')
  const rotationId = rotationIdOf(statement)
  const [id] = given.args
  if (id !== undefined && id !== rotationId) throw usage(`${file} has the request ${rotationId}`, 'leave out the id')
  const keys = await context.ownKeys()
  const client = await context.clientOf({ ...keys, identity: null })
  await mustBeValid(client, request)
  const { commitment } = await client.chain.root(did)
  const isReplacement = commitment.next.length > 0 && !(await isCommitted(commitment, statement))
  const about = [
    `rotation ${rotationId}`,
    `new key   ${userIdOfKey(statement.newPublicKeyB64u)}, for epoch ${statement.epoch}`,
    `sheets    it commits to ${statement.next.length}`,
    ...(isReplacement
      ? ['It replaces the sheets of words of the identity in 30 days. Until then, the words of any sheet can end it.']
      : []),
  ]
  if (context.options.dryRun) return { data: { rotationId, version: 2, epoch: statement.epoch }, text: about }
  if (!context.options.yes) for (const line of about) context.output.say(line)
  await context.confirm(`Send this request of ${did} with the co-signature of this device?`)
  const sender = await temporarySender(context)
  const record = await sender.recovery(keptOf(request)).start(cosignerIn(keys))
  return { data: summaryOf(record), text: [...linesOf(record), ...stepsOf(record)] }
}

function refuseOtherOptions(given: Given): void {
  if (option(given, 'words') !== undefined || flag(given, 'newSheet'))
    throw usage('--lost-sheets is for an identity whose words are all lost', 'leave out --lost-sheets')
  if (option(given, 'version') === '1')
    throw usage('The operator cannot approve a key that the identity has not committed to', 'leave out --version')
}

async function mustBeReplaceable(client: Client, root: Identity): Promise<void> {
  const { commitment } = await currentRoot(client, root)
  if (commitment.next.length === 0) throw usage('The identity has no sheets of words', 'svc rotate start')
  if (commitment.replaceable) return
  throw new CliError({
    exitCode: EXIT.refused,
    code: 'not_replaceable',
    message:
      'The identity has committed never to replace its sheets: without the words of one, it gets no new root key',
    next: 'svc rotate start --words FILE, with the words of any of its sheets',
    page: '/developer/successors#the-commitment',
  })
}

/** Creates the new root key, and the sheets that may follow it. */
async function freshKeys(context: Context, given: Given, root: Identity) {
  const { commitmentOf, recordOfSheet } = await import('#client/recovery-words')
  const successor = await root.successor()
  const made = await newSheets(context, given)
  const following = { scope: successor.scope, epoch: successor.epoch + 1 }
  const sheets = await Promise.all(
    made.map(({ sheet, confirmedAt }) => recordOfSheet(sheet, following, { confirmedAt })),
  )
  const commitment = await commitmentOf(
    made.map(({ sheet }) => sheet),
    following,
  )
  return { successor, sheets, commitment }
}

type Request = Awaited<ReturnType<typeof signedRequestIn>>

function keptOf(request: Request): KeptRecovery {
  const { did, scope, epoch } = request.statement
  return { format: 'svc/recovery/v1', did, scope, epoch, requests: [request] }
}

/** A device that was revoked keeps its standing for a while, so it may co-sign all the same. */
function cosignerIn({ devices }: KeySet): Device {
  const device = devices.find(({ membership }) => membership !== null)
  if (device) return device
  throw locked('key_missing', 'The key file holds no device that can co-sign', 'run it on a device of the identity')
}

/** Throws unless both keys have signed the request, and the root key is still the current one. */
async function mustBeValid(client: Client, request: Request): Promise<void> {
  const { stage } = await client.recovery(keptOf(request)).status()
  if (stage !== 'void') return
  throw new CliError({
    exitCode: EXIT.refused,
    code: 'stale_epoch',
    message: 'The root key has changed since this request was signed, or the identity has ended',
    next: 'svc rotate history shows the current root key',
    page: '/developer/rotation',
  })
}

async function isCommitted({ next }: Commitment, statement: Request['statement']): Promise<boolean> {
  const { commitmentOf } = await import('#client/recovery-words')
  const { scope, epoch, newPublicKeyB64u: publicKeyB64u } = statement
  const { next: hashes } = await commitmentOf([{ successor: async () => ({ publicKeyB64u }) }], { scope, epoch })
  return hashes.every((hash) => next.includes(hash))
}
