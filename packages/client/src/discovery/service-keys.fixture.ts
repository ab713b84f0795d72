import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { ServiceKey } from '@svc/protocol/http/service-keys'

export const CORE = 'https://core.test'
export const NOW = 1_790_000_000_000

const signerWith = (byte: string) => new DeploymentSigner(byte.repeat(32), [CORE])
export const signers = { a: signerWith('0a'), b: signerWith('0b'), c: signerWith('0e') }
export type Name = keyof typeof signers
export const keyOf = async (
  name: Name,
  validFrom: number,
  validUntil: number | null = null,
  use: Pick<ServiceKey, 'service' | 'use'> = { service: 'pay', use: 'quota-receipt' },
): Promise<ServiceKey> => ({
  service: use.service,
  use: use.use,
  publicKeyB64u: (await signers[name].publicKey(0)) ?? '',
  validFrom,
  validUntil,
})
export const first = await keyOf('a', 0)
