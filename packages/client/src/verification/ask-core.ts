import { type NoteHeader, type PreparedHeader, preparedHeaderSchema, prepareHeader } from '@svc/protocol/notes/headers'
import { type VerifyRequest, verifyResultSchema } from '@svc/protocol/provenance/verification'
import type { Transport } from '../transport/transport.ts'
import { unverified } from './verification-error.ts'

/** Core's verdict on a signature. */
export async function askSignature(transport: Transport, core: string, request: VerifyRequest): Promise<void> {
  const call = { method: 'POST', url: `${core}/api/pqc/verify`, body: request } as const
  const { valid } = await transport.json(call, verifyResultSchema)
  if (!valid) throw unverified('signature', 'invalid_signature', 'Core did not verify the signature')
}

/** Core's digest of a header, which must be the local one. */
export async function askHeader(transport: Transport, core: string, header: NoteHeader): Promise<PreparedHeader> {
  const call = { method: 'POST', url: `${core}/api/headers/prepare`, audience: 'chain', body: { header } } as const
  const prepared = await transport.data(call, preparedHeaderSchema)
  if (prepareHeader(header).aadB64u !== prepared.aadB64u)
    throw unverified('answer', 'different_answer', 'Core returned the digest of a different header', {
      evidence: prepared,
    })
  return prepared
}
