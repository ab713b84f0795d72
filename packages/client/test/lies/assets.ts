import { assetIdOf, mintBytes, mintEventHash, transferBytes } from '@svc/protocol/ledger/asset-statements'
import { attestationBy } from '../../src/ledger/attestation.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, keyAnswers, type Lie, NOW, OTHER_REALM, verifying } from './situation.ts'

const TIME = '2026-09-21T14:13:20.000Z'
const unnamed = { media: { mime: 'image/png', bytes: 12, cid: `bafkrei${'a2'.repeat(26)}` } }

/** An asset that Alice minted and gave to Mallory, as exported. */
async function honest() {
  const assetId = await assetIdOf(alice.scope, unnamed)
  const asset = { assetId: assetId, ...unnamed }
  const about = { userId: alice.userId, assetId, timestamp: TIME, app: { name: 'studio', version: '1.2.0' } }
  const header = { ...about, action: 'asset/mint' as const }
  const minted = (by = alice, realm = REALM) => attestationBy(by, mintBytes(header, asset, realm), NOW)
  const record = {
    header,
    asset,
    attestations: [await minted()],
    owner: mallory.did,
    createdAt: TIME,
    updatedAt: TIME,
  }
  const given = { ...about, action: 'asset/transfer' as const, to: mallory.did }
  const place = { previousOwner: alice.did, position: 0, previousEventHash: await mintEventHash(record) }
  const moved = (by = alice, realm = REALM) => attestationBy(by, transferBytes(given, place, realm), NOW)
  const transfer = {
    header: given,
    attestations: [await moved()],
    previousOwner: alice.did,
    newOwner: mallory.did,
    occurredAt: TIME,
  }
  const shown = { record, transfers: [transfer], position: 0, count: 1, cursor: null as string | null }
  const situation = {
    assetId,
    shown,
    minted,
    moved,
    options: { identity: alice },
    args: (): unknown[] => [assetId],
    answers: () => ({
      ...keyAnswers(alice, mallory),
      [`/api/assets/${assetId}`]: data({ ...record, transfers: shown.transfers }),
      [`/api/assets/${assetId}/export`]: data({ format: 'svc/asset-export/v1', exportedAt: TIME, ...shown }),
    }),
  }
  return situation
}
type Asset = Awaited<ReturnType<typeof honest>>
const otherAsset: Lie<Asset> = {
  lie: 'answers with another asset',
  tell: async ({ shown }) => {
    shown.record.asset.assetId = await assetIdOf(mallory.scope, unnamed)
  },
  subject: 'asset',
  reason: 'different_answer',
}
const unproved = (lie: string, reason: Lie['reason'], tell: Lie<Asset>['tell'], position?: number): Lie<Asset> => ({
  lie,
  reason,
  tell,
  subject: 'asset',
  where: position === undefined ? {} : { position },
})

export const ASSETS = [
  verifying({ name: 'client.assets.read', honest, lies: [otherAsset] }),
  verifying({
    name: 'client.assets.export',
    honest,
    lies: [
      otherAsset,
      {
        lie: 'leaves out a transfer',
        tell: ({ shown }) => {
          shown.position = 1
        },
        subject: 'asset',
        reason: 'left_out',
        where: { position: 0 },
      },
      {
        lie: 'repeats pages for ever',
        tell: ({ shown }) => {
          shown.cursor = '0'
        },
        subject: 'asset',
        reason: 'repeated',
      },
    ],
  }),
  verifying({
    name: 'client.assets.receipts',
    honest: async () => {
      const { assetId, ...situation } = await honest()
      const answer = { assetId, receipts: [] }
      return {
        ...situation,
        answer,
        args: () => [assetId],
        answers: () => ({ [`/api/assets/${assetId}/receipts`]: data(answer) }),
      }
    },
    lies: [
      {
        lie: 'answers for another asset',
        tell: async ({ answer }) => {
          answer.assetId = await assetIdOf(mallory.scope, unnamed)
        },
        subject: 'asset',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'verifyAsset',
    honest: async () => {
      const situation = await honest()
      const { record, transfers } = situation.shown
      const of = () => import('../../src/verify.ts')
      const context = { realms: REALMS, rootKeysOf: () => Promise.resolve([]) }
      return Object.assign(situation, { of, args: () => [{ record, transfers }, context] })
    },
    lies: [
      unproved('changes the asset', 'id_not_certified', ({ shown }) => {
        Object.assign(shown.record.asset, { media: { ...unnamed.media, bytes: 13 } })
      }),
      unproved('shows a mint that the minter did not sign', 'mint_unsigned', async ({ shown, minted }) => {
        shown.record.attestations = [await minted(mallory)]
      }),
      unproved('shows a mint for another deployment', 'mint_unsigned', async ({ shown, minted }) => {
        shown.record.attestations = [await minted(alice, OTHER_REALM)]
      }),
      unproved(
        'shows a transfer that the owner did not sign',
        'transfer_unsigned',
        async ({ shown, moved }) => {
          shown.transfers[0]!.attestations = [await moved(mallory)]
        },
        0,
      ),
      unproved(
        'shows a transfer for another deployment',
        'transfer_unsigned',
        async ({ shown, moved }) => {
          shown.transfers[0]!.attestations = [await moved(alice, OTHER_REALM)]
        },
        0,
      ),
      unproved(
        'changes who received it',
        'transfer_unsigned',
        ({ shown }) => {
          shown.transfers[0]!.newOwner = alice.did
        },
        0,
      ),
      unproved('names another owner', 'owner_differs', ({ shown }) => {
        shown.record.owner = alice.did
      }),
      unproved('leaves out every transfer', 'id_not_certified', ({ shown }) => void shown.transfers.splice(0)),
    ],
  }),
]
