import type { Client } from '#client'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { count, type Given, type Result } from '../result.ts'
import { fromSheet, NO_COMMITMENT } from '../sheets/next-from-sheet.ts'
import { NextKey } from './next-key.ts'

type Record = Awaited<ReturnType<Client['rotation']['newest']>>

const PENDING = ['pending', 'approved']

export async function start(context: Context, given: Given): Promise<Result> {
  const version = count(given, 'version', 2)
  if (version !== 1 && version !== 2) throw usage('There are the versions 1 and 2', 'svc rotate start --version 2')
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const { identity } = keys
  if (!identity) throw usage('Only the root key can ask for a new one', 'run it where the root key is')
  const client = await context.clientOf(keys)
  const { commitment: current } = await client.chain.root(did)
  const { successor, commitment, sheets } =
    current.next.length > 0
      ? await fromSheet(context, given, { root: identity, records: keys.sheets, named: current.next.length })
      : { successor: await identity.successor(), commitment: NO_COMMITMENT, sheets: [] }
  if (context.options.dryRun) {
    const rehearsed = await client.rotation.rehearse(successor, { version, commitment })
    return {
      data: { version, epoch: successor.epoch, deadline: context.environment.now() + rehearsed.windowMs },
      text: `Core would accept it: it waits for ${rehearsed.windowMs / 1000} seconds. Nothing was changed.`,
    }
  }
  await context.confirm(`Ask for a new root key of ${did}?`)
  const next = new NextKey(context, did)
  await next.save(successor, sheets, passphrase)
  const record = await client.rotation.request(await client.rotation.makeRequest(successor, { version, commitment }))
  return {
    data: { ...summaryOf(record), keys: next.path, newUserId: successor.userId },
    text: [
      ...linesOf(record),
      `New key   ${next.path}`,
      ...(version === 1
        ? [`Tell the operator, over a channel that you both trust, its userId: ${successor.userId}`]
        : []),
      ...nextOf(record),
    ],
    exitCode: EXIT.pending,
  }
}

export async function status(context: Context): Promise<Result> {
  const { latest } = await (await context.client()).rotation.current()
  if (!latest) return { data: { rotation: null }, text: 'Nothing is pending, and the root key was never replaced.' }
  return {
    data: { rotation: summaryOf(latest) },
    text: [...linesOf(latest), ...nextOf(latest)],
    exitCode: PENDING.includes(latest.status) ? EXIT.pending : EXIT.ok,
  }
}

export async function veto(context: Context, { args: [id] }: Given): Promise<Result> {
  const client = await context.client()
  const { rotationId } = id === undefined ? await pendingOf(client) : { rotationId: id }
  if (context.options.dryRun) return { data: { rotationId }, text: `Would stop ${rotationId}.` }
  await context.confirm(`Stop ${rotationId}?`)
  const record = await client.rotation.freeze(rotationId)
  if (!PENDING.includes(record.status)) return recordResult(record)
  return {
    data: summaryOf(record),
    text: [
      ...linesOf(record),
      'A device has co-signed it, so it goes on: the deadline is later now. A device can stop it.',
    ],
    exitCode: EXIT.pending,
  }
}

export async function cosign(context: Context, { args: [id] }: Given): Promise<Result> {
  const client = await context.client('device')
  const pending = await pendingOf(client)
  if (id !== undefined && pending.rotationId !== id) throw usage(`${id} is not pending`, 'svc rotate status')
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

async function pendingOf(client: Client): Promise<Record> {
  const { latest } = await client.rotation.current()
  if (latest && PENDING.includes(latest.status)) return latest
  throw new CliError({
    exitCode: EXIT.refused,
    code: 'rotation_not_pending',
    message: 'Nothing is pending',
    next: 'svc rotate status',
    page: '/developer/rotation',
  })
}

function recordResult(record: Record): Result {
  return { data: summaryOf(record), text: linesOf(record) }
}

export function summaryOf({ rotationId, kind, status: state, version, epoch, deadline, cosignatures }: Record) {
  return { rotationId, kind, status: state, version, epoch, deadline, cosignatures }
}

function nextOf({ kind, status: state, cosignatures }: Record): string[] {
  if (kind !== 'rotation' || state !== 'pending') return []
  const stop = 'To stop it: svc rotate veto'
  const activate = 'svc rotate activate, once its time has come'
  if (cosignatures > 0) return [`Next: ${activate}`, stop]
  return [`Next: svc rotate cosign on a device of the identity, if it has one that may; then ${activate}`, stop]
}

export function linesOf({ rotationId, kind, status: state, version, epoch, deadline, cosignatures }: Record): string[] {
  const stopped = state === 'frozen' ? ' (stopped: it can never be activated)' : ''
  return [
    `${kind} ${rotationId}`,
    `status    ${state}${stopped}, version ${version}, to epoch ${epoch}`,
    ...(deadline === null ? [] : [`deadline  ${new Date(deadline).toISOString()}`]),
    `co-signed ${cosignatures}`,
  ]
}
