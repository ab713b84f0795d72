import type { Calls } from './given.ts'

export const files = {
  async registerImage({ client }) {
    const file = new TextEncoder().encode('the bytes of a picture')
    const signed = await client.provenance.sign(file, { kind: 'image', mime: 'image/png' })
    const { assetId } = await client.provenance.register(signed)
  },

  async registerVideo({ client }) {
    const file = new TextEncoder().encode('the bytes of a video')
    const signed = await client.provenance.sign(file, { kind: 'video', mime: 'video/mp4' })
    const { assetId } = await client.provenance.register(signed)
  },

  async readCapsule({ client }) {
    const file = new TextEncoder().encode('the bytes of a picture')
    const { assetId } = await client.provenance.register(
      await client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
    )
    const { claims } = await client.provenance.capsule(assetId)
  },

  async deleteCapsule({ client }) {
    const file = new TextEncoder().encode('the bytes of a picture')
    const { assetId } = await client.provenance.register(
      await client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
    )
    await client.provenance.deleteCapsule(assetId)
  },

  async verifyCapsule({ client, identity }) {
    const file = new TextEncoder().encode('the bytes of a picture')
    const { assetId } = await client.provenance.register(
      await client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
    )
    const { valid } = await client.provenance.verifyCapsule(assetId, identity.did)
  },

  async readProof({ client, identity }) {
    const file = new TextEncoder().encode('the bytes of a picture')
    const { assetId } = await client.provenance.register(
      await client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
    )
    const bundle = await client.provenance.proof(assetId, identity.did)
  },

  async createCommitment({ client }) {
    const { commitment, saltB64u } = await client.provenance.commit(new TextEncoder().encode('not published yet'))
  },

  async readCommitment({ client }) {
    const { commitment } = await client.provenance.commit(new TextEncoder().encode('not published yet'))
    const { created_at_ms: at } = await client.provenance.commitment(commitment.id)
  },

  async verifySignature({ client, signed }) {
    await client.provenance.verify(signed)
  },

  async verifyBatch({ client, signed }) {
    const { valid, invalid } = await client.provenance.verifyBatch([signed, signed])
  },

  async verifyWithKeyStatus({ client, signed }) {
    const { keyStatus } = await client.provenance.verifyWithKeyStatus(signed)
  },
} satisfies Calls

export const similarity = {
  async registerText({ client }) {
    const text = `The lightship ${crypto.randomUUID()} had moved in the night, and nobody believed the pilot.`
    const { asset_id: assetId, duplicate } = await client.provenance.registerText(text)
  },

  async deleteText({ client }) {
    const text = `The lightship ${crypto.randomUUID()} had moved in the night, and nobody believed the pilot.`
    const { asset_id: assetId } = await client.provenance.registerText(text)
    await client.provenance.deleteText(assetId)
  },

  async queryText({ client }) {
    const { matches } = await client.provenance.searchText('nobody in the harbour town believed the pilot')
  },

  async searchSemantic({ client }) {
    const vector = Array.from({ length: 256 }, () => 1)
    const { matches } = await client.provenance.search('semantic', [vector])
  },

  async searchFragment({ client }) {
    const vector = Array.from({ length: 256 }, () => 1)
    const { matches } = await client.provenance.search('fragment', [vector])
  },

  async searchVideo({ client }) {
    const vector = Array.from({ length: 256 }, () => 1)
    const { matches } = await client.provenance.search('video', [vector])
  },

  async searchVideoFragment({ client }) {
    const vector = Array.from({ length: 256 }, () => 1)
    const { matches } = await client.provenance.search('video-fragment', [vector])
  },

  async uploadKeypoints({ client }) {
    const { hash } = await client.provenance.uploadKeypoints(crypto.getRandomValues(new Uint8Array(512)))
  },

  async listKeypoints({ client }) {
    const { keypoints } = await client.provenance.myKeypoints()
  },

  async deleteKeypoints({ client }) {
    const { hash } = await client.provenance.uploadKeypoints(crypto.getRandomValues(new Uint8Array(512)))
    await client.provenance.deleteKeypoints(hash)
  },

  async readKeypoints({ client }) {
    const { hash } = await client.provenance.uploadKeypoints(crypto.getRandomValues(new Uint8Array(512)))
    const bytes = await client.provenance.keypoints(hash)
  },

  async readModelManifest({ client }) {
    const { artefacts } = await client.provenance.models()
  },

  async listTakedowns({ client }) {
    for await (const { subject, reason } of client.provenance.takedowns()) console.log(subject, reason)
  },
} satisfies Calls
