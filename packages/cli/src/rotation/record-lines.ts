import type { Client } from '#client'
import { CliError, usage } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'

export type RotationRecord = Awaited<ReturnType<Client['rotation']['newest']>>

const PENDING = ['pending', 'approved']

export function isPending({ status }: Pick<RotationRecord, 'status'>): boolean {
  return PENDING.includes(status)
}

/** Returns what is pending. Throws if nothing is, or if `id` names something else. */
export async function pendingOf(client: Client, id?: string): Promise<RotationRecord> {
  const { latest } = await client.rotation.current()
  if (!latest || !isPending(latest)) throw nothingPending()
  if (id !== undefined && latest.rotationId !== id) throw usage(`${id} is not pending`, 'svc rotate status')
  return latest
}

export function nothingPending(): CliError {
  return new CliError({
    exitCode: EXIT.refused,
    code: 'rotation_not_pending',
    message: 'Nothing is pending',
    next: 'svc rotate status',
    page: '/developer/rotation',
  })
}

export function recordResult(record: RotationRecord): Result {
  return { data: summaryOf(record), text: linesOf(record) }
}

export function summaryOf(record: RotationRecord) {
  const { rotationId, kind, status, basis, version, epoch, deadline, cosignatures } = record
  return { rotationId, kind, status, basis, version, epoch, deadline, cosignatures }
}

export function linesOf({
  rotationId,
  kind,
  status,
  version,
  epoch,
  deadline,
  cosignatures,
}: RotationRecord): string[] {
  const stopped = status === 'frozen' ? ' (stopped: it can never be activated)' : ''
  return [
    `${kind} ${rotationId}`,
    `status    ${status}${stopped}, version ${version}, to epoch ${epoch}`,
    ...(deadline === null ? [] : [`deadline  ${new Date(deadline).toISOString()}`]),
    `co-signed ${cosignatures}`,
  ]
}

/** Says what happens next, and who can stop it. */
export function nextOf({ kind, status, basis, cosignatures }: RotationRecord): string[] {
  if (kind !== 'rotation' || status !== 'pending') return []
  if (basis === 'replacement') return [REPLACES, AFTER_REPLACEMENT, `To stop it: ${STOP_REPLACEMENT}`]
  const stop = 'To stop it: svc rotate veto'
  const activate = 'svc rotate activate, once its time has come'
  if (cosignatures > 0) return [`Next: ${activate}`, stop]
  return [`Next: svc rotate cosign on a device of the identity, if it has one that may; then ${activate}`, stop]
}

const REPLACES =
  'It replaces the sheets of words of the identity. Until the deadline, the words of any sheet can end it.'
const AFTER_REPLACEMENT = 'Next: svc rotate activate, on the machine with the new root key, after the deadline'
const STOP_REPLACEMENT = 'svc rotate veto --words FILE, with the words of a sheet'
