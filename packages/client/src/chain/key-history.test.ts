import { successorHash } from '@svc/protocol/chain/commitment'
import { expect, it } from 'vitest'
import { blockHash, isSigned } from '#protocol/chain/chain'
import { CORE, NOW } from '../../test/fake-relay.ts'
import { fetchOf } from '../../test/fetch.ts'
import { alice, heirOfAlice } from '../../test/sides.ts'
import { Client } from '../client.ts'
import { signGenesis } from './new-block.ts'

const { did, scope, userId } = alice
const { heir, keys } = await heirOfAlice()

/** A client of a core that shows one genesis block with the identity, and maybe another with its keys. */
function clientOf(shown: Awaited<ReturnType<typeof signGenesis>>) {
  if (!isSigned(shown)) throw new Error('not signed')
  const record = { did, scope, userId, block: shown, commitment: null, hash: blockHash(shown), createdAt: NOW }
  const history = { did, scope, keys, next: null, rotation: null }
  const fetch = fetchOf(async ({ url }) =>
    Response.json({ success: true, data: url.includes('/api/genesis/') ? record : history, timestamp: NOW }),
  )
  return new Client({ core: CORE, did: 'https://did.test', identity: alice, fetch })
}

it('holds the genesis block that proves the keys against the one that was shown before', async () => {
  const client = clientOf(keys[0].genesis.block)
  await client.chain.readGenesis(did)
  await expect(client.keyHistory.of(did)).resolves.toMatchObject([{ userId }, { userId: heir.userId }])
  const commitment = { next: [successorHash(heir.publicKeyB64u)], replaceable: false }
  const lied = clientOf(await signGenesis(alice, NOW, commitment))
  await lied.chain.readGenesis(did)
  await expect(lied.keyHistory.of(did)).rejects.toMatchObject({ reason: 'fork', subject: 'genesis' })
})
