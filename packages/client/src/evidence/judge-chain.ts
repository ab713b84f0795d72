import * as z from 'zod'
import { unverified } from '../verification/verification-error.ts'
import { formed } from './form.ts'
import type { Means } from './means.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

export async function judgeChain(value: unknown, { client, expectedDid }: Means): Promise<Verdict> {
  const [{ chainBlockSchema }, { verifyChain }, { didOf }] = await Promise.all([
    import('#protocol/chain/chain'),
    import('../chain/verify-chain.ts'),
    import('../identity/did-of.ts'),
  ])
  const blocks = formed(z.array(chainBlockSchema), value)
  const [genesis] = blocks
  if (!genesis) throw unverified('chain', 'empty', 'The chain has no blocks')
  const did = expectedDid ?? didOf(genesis.ownerPublicKey)
  const isRotated = blocks.some((block) => 'epoch' in block && block.epoch > 0)
  if (isRotated && !client) return verdictOf('chain', did, [unchecked('replaced_key')], { needs: 'key_history' })
  const keys = isRotated && client ? await client.keyHistory.of(did) : []
  const head = await verifyChain(blocks, did, keys)
  const checks = [
    checked('blocks', { count: blocks.length }),
    checked('head', { hash: head.hash }),
    expectedDid === null ? unchecked('owner') : checked('owner', { did }),
  ]
  return verdictOf('chain', did, checks, { subject: head.hash, order: 'chain' })
}
