import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { type ServiceKey, serviceKeyHash } from '@svc/protocol/http/service-keys'

export const CORE = 'https://core.test'
export const NOW = 1_790_000_000_000

const signerWith = (byte: string) => new DeploymentSigner(byte.repeat(32), [CORE])
export const signers = { a: signerWith('0a'), b: signerWith('0b'), c: signerWith('0e') }
export type Name = keyof typeof signers
export const keyOf = async (name: Name, validFrom: number, validUntil: number | null = null): Promise<ServiceKey> => ({
  service: 'pay',
  use: 'quota-receipt',
  publicKeyB64u: (await signers[name].publicKey(0)) ?? '',
  validFrom,
  validUntil,
})
export const first = await keyOf('a', 0)
/** The key of `to`, with what the key of `by` signed about it. */
export async function handedOver(
  by: Name,
  to: ServiceKey,
  changes: Partial<Record<string, unknown>> = {},
): Promise<ServiceKey> {
  const { service, use, publicKeyB64u, validFrom } = to
  const members = { service, use, keyHash: serviceKeyHash(publicKeyB64u), validFrom, issuedAt: NOW, ...changes }
  const signed = await signers[by].sign({ type: 'svc/key-hand-over/v1', ...members })
  if (!signed) throw new Error('No signature')
  const { statement, signatureB64u } = signed
  return { ...to, handOver: { statement, signatureB64u } }
}
