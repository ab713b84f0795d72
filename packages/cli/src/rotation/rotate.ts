import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { count, flag, type Given, list, option, type Result } from '../result.ts'
import { fromSheet, NO_COMMITMENT } from '../sheets/next-from-sheet.ts'
import { typedSheet } from '../sheets/typed-sheet.ts'
import { refuseBeside } from './beside-pending.ts'
import { keptFor, NextKeys } from './next-keys.ts'
import { stepsOf } from './next-steps.ts'
import { isPending, linesOf, pendingOf, recordResult, summaryOf } from './record-lines.ts'
import { currentRoot, rootHere } from './root-here.ts'
import { temporarySender } from './sender.ts'

export async function start(context: Context, given: Given): Promise<Result> {
  const version = count(given, 'version', 2)
  if (version !== 1 && version !== 2) throw usage('There are the versions 1 and 2', 'svc rotate start --version 2')
  if (flag(given, 'lostSheets')) return (await import('./replacement.ts')).startReplacement(context, given)
  if (option(given, 'out') !== undefined || list(given, 'sheetFile').length > 0)
    throw usage('--out and --sheet-file are for sheets that are all lost', 'add --lost-sheets, or leave them out')
  const { did, keys, identity, passphrase } = await rootHere(context)
  const client = await context.clientOf(keys)
  const next = new NextKeys(context, did)
  const { commitment: current, rotation } = await currentRoot(client, identity)
  await refuseBeside(rotation, { next, isDispute: flag(given, 'dispute') })
  if (current.next.length === 0 && (flag(given, 'newSheet') || option(given, 'words') !== undefined))
    throw usage('The identity has no sheets of words', 'leave out --words and --new-sheet')
  const { successor, commitment, sheets } =
    current.next.length > 0
      ? await fromSheet(context, given, { root: identity, records: keys.sheets, commitment: current })
      : { successor: await identity.successor(), commitment: NO_COMMITMENT, sheets: [] }
  if (context.options.dryRun) {
    const rehearsed = await client.rotation.rehearse(successor, { version, commitment })
    return {
      data: { version, epoch: successor.epoch, deadline: context.environment.now() + rehearsed.windowMs },
      text: `Core would accept it: it waits for ${rehearsed.windowMs / 1000} seconds. Nothing was changed.`,
    }
  }
  await context.confirm(`Ask for a new root key of ${did}?`)
  const request = await client.rotation.makeRequest(successor, { version, commitment })
  const path = await next.save(await keptFor(request, { successor, sheets }), passphrase)
  const record = await client.rotation.request(request)
  return {
    data: { ...summaryOf(record), keys: path, newUserId: successor.userId, request: null },
    text: [
      ...linesOf(record),
      `New key   ${path}`,
      ...(version === 1
        ? [`Tell the operator, over a channel that you both trust, its userId: ${successor.userId}`]
        : []),
      ...stepsOf(record),
    ],
    exitCode: EXIT.pending,
  }
}

export async function status(context: Context): Promise<Result> {
  const { latest } = await (await context.client()).rotation.current()
  if (!latest) return { data: { rotation: null }, text: 'Nothing is pending, and the root key was never replaced.' }
  return {
    data: { rotation: summaryOf(latest) },
    text: [...linesOf(latest), ...stepsOf(latest)],
    exitCode: isPending(latest) ? EXIT.pending : EXIT.ok,
  }
}

export async function veto(context: Context, given: Given): Promise<Result> {
  const pending = await pendingOf(context, given.args[0])
  const { rotationId, basis, epoch, request } = pending
  if (context.options.dryRun) return { data: { rotationId }, text: `Would stop ${rotationId}.` }
  const words = option(given, 'words')
  // Rule R19: neither the root key nor a device ends a replacement.
  const sheet = words !== undefined || basis === 'replacement' ? await typedSheet(context, words) : null
  await context.confirm(`Stop ${rotationId}?`)
  const { scope } = request.statement
  const record = sheet
    ? await (await temporarySender(context)).rotation.freezeAs(await sheet.successor({ scope, epoch }), rotationId)
    : await (await context.client()).rotation.freeze(rotationId)
  if (!isPending(record)) return recordResult(record)
  const delayed = sheet
    ? 'The root key and a sheet have signed it, so it goes on: the deadline is later now. It cannot be delayed again.'
    : 'A device has co-signed it, so it goes on: the deadline is later now. A device can stop it.'
  return { data: summaryOf(record), text: [...linesOf(record), delayed], exitCode: EXIT.pending }
}

export async function cosign(context: Context, given: Given): Promise<Result> {
  const file = option(given, 'request')
  if (file !== undefined) return (await import('./replacement.ts')).cosignRequest(context, given, file)
  const client = await context.client('device')
  const pending = await pendingOf(context, given.args[0])
  if (context.options.dryRun) return { data: { rotationId: pending.rotationId }, text: linesOf(pending) }
  await context.confirm(`Co-sign ${pending.rotationId}? The root key alone cannot stop it then.`)
  return recordResult(await client.rotation.cosign(pending))
}

export async function history(context: Context, { args: [given] }: Given): Promise<Result> {
  const did = given ?? (await context.did())
  const keys = await (await context.client('nobody')).keyHistory.of(did)
  return {
    data: { did, keys },
    text: keys.map(({ epoch, userId, activated }) => `${epoch}  ${userId}${epoch === 0 ? '' : `  ${activated}`}`),
  }
}

export async function hold(context: Context): Promise<Result> {
  if (context.options.dryRun) return { data: {}, text: 'Would stop all writing.' }
  const state = await (await context.client()).security.placeHold()
  return { data: state, text: 'All writing is stopped. The root key allows it again: svc rotate lift' }
}

export async function lift(context: Context): Promise<Result> {
  if (context.options.dryRun) return { data: {}, text: 'Would allow writing again.' }
  await context.confirm('Allow writing again?')
  const state = await (await context.client()).security.liftHold()
  return { data: state, text: 'Writing is allowed again.' }
}
