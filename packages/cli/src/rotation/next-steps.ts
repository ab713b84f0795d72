/**
 * Says what a rotation waits for, and who can still end it or open it again. The rules are those of core
 * (workers/docs/pages/developer/rotation.md and successors.md). Pure.
 *
 * @module
 */
import type { Client } from '#client'

type Rotation = Awaited<ReturnType<Client['rotation']['newest']>>
type Standing = Pick<Rotation, 'kind' | 'status' | 'basis' | 'version' | 'cosignatures' | 'contestedAt' | 'approvedAt'>

const ENDED: readonly Rotation['status'][] = ['frozen', 'cancelled', 'displaced', 'disputed']

/** Returns what happens next to a pending rotation, and who can stop it. Empty for anything else. */
export function stepsOf(rotation: Standing): string[] {
  const { kind, status, basis, version, cosignatures, contestedAt, approvedAt } = rotation
  if (kind !== 'rotation' || status !== 'pending') return []
  if (approvedAt !== null) return ['Next: svc rotate activate', 'The operator has approved it: nobody can stop it.']
  if (version === 1)
    return ['Next: the operator approves it, then svc rotate activate', 'To stop it until then: svc rotate veto']
  switch (basis) {
    case 'root':
      return cosignatures > 0 ? COSIGNED : UNSIGNED
    case 'full':
      return [ACTIVATE, contestedAt === null ? DELAY_FULL : DELAYED_FULL]
    case 'successor':
      return [ACTIVATE, 'To stop it: svc rotate veto, with the root key, a device or the words of a sheet']
    case 'replacement':
      return [
        'It replaces the sheets of words of the identity. Until the deadline, the words of any sheet can end it.',
        'Next: svc rotate activate, on the machine with the new root key, after the deadline',
        'To stop it: svc rotate veto --words FILE, with the words of a sheet',
      ]
  }
}

const ACTIVATE = 'Next: svc rotate activate, after the deadline'
const COSIGNED = [ACTIVATE, 'To stop it: svc rotate veto, on a device. The root key can only delay it, once.']
const UNSIGNED = [
  'Next: svc rotate cosign on a device of the identity, if it has one that may; then svc rotate activate, after the deadline',
  'To stop it: svc rotate veto',
]
const STANDS = 'Neither the root key nor a device can stop it.'
const DELAY_FULL = `${STANDS} To delay it once: svc rotate veto --words FILE, with the words of a sheet`
const DELAYED_FULL = `${STANDS} It was delayed, which cannot be done again.`

/** Returns whether a rotation that ended can be opened again, in a phrase; empty for one that has not ended. */
export function reopeningOf({ kind, status, basis, version, cosignatures }: Standing): string {
  if (kind !== 'rotation' || !ENDED.includes(status)) return ''
  if (version === 1) return ' (ended: only the operator can open it again)'
  // Rule R7: a co-signature opens what has ended without one.
  if (basis !== 'successor' && cosignatures === 0) return ' (ended: only a device can open it again, by co-signing it)'
  return ' (ended: it can never be activated)'
}
