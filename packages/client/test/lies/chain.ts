import { encodeBase64url } from '@svc/protocol/base/base64url'
import { blockHash, type GenesisBlock, type SignedBlock } from '@svc/protocol/chain/chain'
import { Client } from '../../src/client.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { data, keysOf, type Lie, NOW, verifying } from './situation.ts'

const writerOf = (identity: Identity, now = NOW) =>
  new Client({ core: 'https://core.test', did: 'https://did.test', identity, now: () => now }).chain
const headOf = (block: SignedBlock) => ({ index: block.index, hash: blockHash(block) })
const bytes = (text: string) => new TextEncoder().encode(text)

/** The genesis block of an identity, signed at this time. */
export const genesisOf = async (identity: Identity, now = NOW) =>
  (await writerOf(identity, now).makeGenesis()) as GenesisBlock & SignedBlock

async function chainOf(identity: Identity, texts: readonly string[], now = NOW): Promise<SignedBlock[]> {
  const writer = writerOf(identity, now)
  const blocks: SignedBlock[] = [await genesisOf(identity, now)]
  for (const text of texts) blocks.push(await writer.makeBlock(headOf(blocks.at(-1)!), { payload: bytes(text) }))
  return blocks
}

/** A chain of three blocks, everything that core says of it, and the root keys. */
async function honest() {
  const blocks = await chainOf(alice, ['one', 'two'])
  const genesis = blocks[0] as GenesisBlock & SignedBlock
  const { did, scope, userId, publicKeyB64u } = alice
  const situation = {
    blocks,
    shown: {} as Record<string, unknown>,
    head: headOf(blocks[2]!) as ReturnType<typeof headOf> | null,
    payload: { ...headOf(blocks[1]!), dataHash: blocks[1]!.dataHash, payloadB64u: encodeBase64url(bytes('one')) },
    root: {
      did,
      scope,
      userId,
      publicKeyB64u,
      epoch: 0,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
    },
    record: { did, scope, userId, block: genesis, commitment: null, hash: blockHash(genesis), createdAt: NOW },
    keys: keysOf(alice),
    options: { identity: alice },
    args: (): unknown[] => [],
    answers: () => {
      const head = situation.head ?? headOf(blocks.at(-1)!)
      const pageFrom = (query: URLSearchParams) =>
        data({ blocks: blocks.slice(Number(query.get('from'))), next: null, head, ...situation.shown })
      return {
        '/api/chain/head': data({ ...head, did }),
        '/api/chain/blocks': pageFrom,
        '/api/chain/payload/1': data(situation.payload),
        [`/api/chain/root/${did}`]: data(situation.root),
        [`/api/chain/root/${did}/history`]: (query: URLSearchParams) => {
          const keys = situation.keys.keys.slice(Number(query.get('from')))
          return data({ ...situation.keys, keys })
        },
        [`/api/genesis/${did}`]: data(situation.record),
      }
    },
  }
  return situation
}
type Chain = Awaited<ReturnType<typeof honest>>
const about =
  (...args: unknown[]) =>
  async () =>
    Object.assign(await honest(), { args: () => args })

/** The same, with the newest block by the next root key. */
async function rotated() {
  const situation = await honest()
  const { heir, keys } = await heirOfAlice()
  situation.blocks[2] = await writerOf(heir).makeBlock(headOf(situation.blocks[1]!), {})
  situation.head = headOf(situation.blocks[2])
  Object.assign(situation.keys, { keys })
  return Object.assign(situation, { options: { identity: heir } })
}

const replace = async (s: Chain, other: SignedBlock[]) => {
  s.blocks.splice(0, s.blocks.length, ...other)
  s.head = headOf(other.at(-1)!)
}
const rolledBack: Lie<Chain> = {
  lie: 'shows an older head than before',
  tell: (s) => replace(s, s.blocks.slice(0, 2)),
  subject: 'chain',
  reason: 'rollback',
  where: { position: 1 },
  afterTruth: true,
}
const forked: Lie<Chain> = {
  lie: 'shows another history than before',
  tell: async (s) => replace(s, [s.blocks[0]!, ...(await afterGenesis(s.blocks[0]!, ['other', 'two']))]),
  subject: 'chain',
  reason: 'fork',
  where: { position: 2 },
  afterTruth: true,
}
const forkedLater: Lie<Chain> = {
  ...forked,
  lie: 'shows a longer history without what it showed before',
  tell: async (s) => replace(s, [s.blocks[0]!, ...(await afterGenesis(s.blocks[0]!, ['other', 'two', 'three']))]),
}
async function afterGenesis(genesis: SignedBlock, texts: readonly string[]): Promise<SignedBlock[]> {
  const made: SignedBlock[] = [genesis]
  for (const text of texts) made.push(await writerOf(alice).makeBlock(headOf(made.at(-1)!), { payload: bytes(text) }))
  return made.slice(1)
}

const falseBlocks: readonly Lie<Chain>[] = [
  {
    lie: 'changes a block',
    tell: (s) => {
      s.blocks[1] = { ...s.blocks[1]!, timestamp: '1' }
    },
    subject: 'chain',
    reason: 'invalid_signature',
    where: { block: '1' },
  },
  {
    lie: 'shows a block signed by another key',
    tell: async (s) => {
      s.blocks[1] = await writerOf(mallory).makeBlock(headOf(s.blocks[0]!), {})
    },
    subject: 'chain',
    reason: 'wrong_owner',
    where: { block: '1' },
  },
  {
    lie: 'leaves out a block in the middle',
    tell: (s) => void s.blocks.splice(1, 1),
    subject: 'chain',
    reason: 'wrong_index',
    where: { block: '2' },
  },
  {
    lie: 'shows the chain of another identity',
    tell: async (s) => replace(s, await chainOf(mallory, [])),
    subject: 'chain',
    reason: 'wrong_scope',
    where: { block: '0' },
  },
]

export const CHAIN = [
  verifying({
    name: 'client.chain.verify',
    honest,
    lies: [
      ...falseBlocks,
      {
        lie: 'leaves out the newest block',
        tell: (s) => void s.blocks.pop(),
        subject: 'chain',
        reason: 'left_out',
        where: { block: '2' },
      },
      {
        lie: 'repeats pages for ever',
        tell: (s) => {
          s.shown = { next: '1' }
        },
        subject: 'chain',
        reason: 'repeated',
      },
      {
        lie: 'answers while it rebuilds its index',
        tell: (s) => {
          s.shown = { indexing: { state: 'rebuilding', done: 0, total: 1 } }
        },
        subject: 'chain',
        reason: 'incomplete',
      },
      rolledBack,
      forked,
      forkedLater,
    ],
  }),
  verifying({
    name: 'client.chain.head',
    honest,
    lies: [
      {
        lie: 'names a newest block that it does not show',
        tell: (s) => {
          s.head = { index: '7', hash: 'a7'.repeat(48) }
        },
        subject: 'chain',
        reason: 'unproved',
        where: { position: 7 },
        afterTruth: true,
      },
      rolledBack,
      forked,
      { ...forkedLater, where: { position: 3 } },
    ],
  }),
  verifying({
    name: 'client.chain.head',
    given: 'after a rotation',
    honest: rotated,
    lies: [
      {
        lie: 'goes on with a block signed by a superseded key',
        tell: async (s) => replace(s, [...s.blocks, await writerOf(alice).makeBlock(headOf(s.blocks[2]!), {})]),
        subject: 'chain',
        reason: 'unproved',
        where: { position: 3 },
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'client.chain.page',
    honest: async () => Object.assign(await about({})(), { see: (client: Client) => client.chain.verify() }),
    lies: [rolledBack, forked],
  }),
  verifying({
    name: 'client.chain.payload',
    honest: about('1'),
    lies: [
      {
        lie: 'changes the payload',
        tell: (s) => {
          s.payload.payloadB64u = 'AAAA'
        },
        subject: 'payload',
        reason: 'hash_mismatch',
        where: { block: '1' },
      },
      {
        lie: 'answers with the payload of another block',
        tell: (s) => Object.assign(s.payload, headOf(s.blocks[2]!)),
        subject: 'payload',
        reason: 'different_answer',
        where: { block: '1' },
      },
    ],
  }),
  verifying({
    name: 'client.chain.root',
    honest: about(alice.did),
    lies: [
      {
        lie: 'names the key of somebody else',
        tell: (s) => Object.assign(s.root, { publicKeyB64u: mallory.publicKeyB64u }),
        subject: 'keys',
        reason: 'wrong_key',
        where: { epoch: 0 },
      },
      {
        lie: 'answers for another identity',
        tell: (s) => Object.assign(s.root, { did: mallory.did, scope: mallory.scope }),
        subject: 'keys',
        reason: 'wrong_key',
        where: { epoch: 0 },
      },
      {
        lie: 'names a later key without the rotation to it',
        tell: async (s) => {
          const { heir } = await heirOfAlice()
          Object.assign(s.root, { epoch: 1, userId: heir.userId, publicKeyB64u: heir.publicKeyB64u })
        },
        subject: 'keys',
        reason: 'wrong_key',
        where: { epoch: 1 },
      },
    ],
  }),
  verifying({
    name: 'client.chain.readGenesis',
    honest: about(alice.did),
    lies: [
      {
        lie: 'changes the genesis block',
        tell: (s) => {
          s.record.block = { ...s.record.block, timestamp: '1' }
        },
        subject: 'genesis',
        reason: 'bad_genesis',
      },
      {
        lie: 'answers with the genesis block of another identity',
        tell: async (s) => {
          const block = await genesisOf(mallory)
          Object.assign(s.record, { block, hash: blockHash(block) })
        },
        subject: 'genesis',
        reason: 'bad_genesis',
      },
      {
        lie: 'shows another genesis block than before',
        tell: async (s) => {
          const block = await genesisOf(alice, NOW + 1)
          Object.assign(s.record, { block, hash: blockHash(block) })
        },
        subject: 'genesis',
        reason: 'fork',
        where: { position: 0 },
        afterTruth: true,
      },
    ],
  }),
  verifying({
    name: 'verifyChain',
    honest: async () => {
      const situation = await honest()
      const of = () => import('../../src/verify.ts')
      return Object.assign(situation, { of, args: () => [situation.blocks, alice.did] })
    },
    lies: [
      ...falseBlocks,
      { lie: 'shows no block at all', tell: (s) => void s.blocks.splice(0), subject: 'chain', reason: 'empty' },
    ],
  }),
]
