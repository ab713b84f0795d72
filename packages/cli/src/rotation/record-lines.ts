import type { Client } from '#client'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'
import { reopeningOf } from './next-steps.ts'

export type RotationRecord = Awaited<ReturnType<Client['rotation']['newest']>>

const PENDING = ['pending', 'approved']

export function isPending({ status }: Pick<RotationRecord, 'status'>): boolean {
  return PENDING.includes(status)
}

/** Returns what is pending. Needs no key. Throws if nothing is, or if `id` names something else. */
export async function pendingOf(context: Context, id?: string): Promise<RotationRecord> {
  const nobody = await context.client('nobody')
  const latest = await nobody.keyHistory.rotation(await context.did())
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

export function linesOf(record: RotationRecord): string[] {
  const { rotationId, kind, status, version, epoch, deadline, cosignatures } = record
  return [
    `${kind} ${rotationId}`,
    `status    ${status}${reopeningOf(record)}, version ${version}, to epoch ${epoch}`,
    ...(deadline === null ? [] : [`deadline  ${new Date(deadline).toISOString()}`]),
    `co-signed ${cosignatures}`,
  ]
}
