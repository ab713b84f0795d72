import type { Transport } from '@svc/client'
import { isListFingerprint, listFingerprint } from '@svc/protocol/merkle/list-fingerprint'
import { type ListKeys, logListAnswerSchema } from '@svc/protocol/merkle/log-list'

export interface FingerprintedList {
  readonly transport: Transport
  /** Where a service shows the list. */
  readonly url: string
  /** From another source. */
  readonly fingerprint: string
}

/** The keys of the list that a service shows, if they have the fingerprint. The list is verified when it is followed. */
export async function listKeysWith({ transport, url, fingerprint }: FingerprintedList): Promise<ListKeys> {
  const { list } = await transport.data({ method: 'GET', url }, logListAnswerSchema)
  const { keys: shown } = list.statement
  if (isListFingerprint(fingerprint, shown)) return shown
  throw new Error(`The list at ${url} is signed by keys with the fingerprint ${listFingerprint(shown)}`)
}
