import type { Transport } from '@svc/client'
import { isListFingerprint, listFingerprint } from '@svc/protocol/merkle/list-fingerprint'
import { type ListKeys, logListAnswerSchema } from '@svc/protocol/merkle/log-list'

export interface FingerprintedList {
  readonly transport: Transport
  /** Origin of the key directory. */
  readonly keys: string
  /** From another source. */
  readonly fingerprint: string
}

/** The keys of the list that a directory shows, if they have the fingerprint. The list is verified when it is followed. */
export async function listKeysWith({ transport, keys, fingerprint }: FingerprintedList): Promise<ListKeys> {
  const call = { method: 'GET', url: `${keys}/api/transparency/logs` } as const
  const { list } = await transport.data(call, logListAnswerSchema)
  const { keys: shown } = list.statement
  if (isListFingerprint(fingerprint, shown)) return shown
  throw new Error(`The list of ${keys} is signed by keys with the fingerprint ${listFingerprint(shown)}`)
}
