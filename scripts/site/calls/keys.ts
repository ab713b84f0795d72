import { makeContactPass, makeKeyPackage, makePrekeys } from '@svc/client/functions'
import type { Calls } from './given.ts'

export const keys = {
  async publishDevicePackage({ client, device }) {
    const { upload } = await makePrekeys(device, client, { count: 3 })
    await client.keyDirectory.publish(await makeKeyPackage(device, client), { prekeys: [upload], version: 1 })
  },

  async resolveDevicePackage({ friend, identity, phone }) {
    const { keyPackage } = await friend.client.keyDirectory.resolve(identity.did, phone.deviceId)
  },

  async listDevicePackages({ friend, identity }) {
    const { devices } = await friend.client.keyDirectory.list(identity.did)
  },

  async reserveDevicePrekey({ friend, identity, phone }) {
    const { prekey, receipt } = await friend.client.keyDirectory.reserve(identity.did, phone.deviceId)
  },

  async addDevicePrekeys({ client, phone }) {
    const { upload, seeds } = await makePrekeys(phone, client, { count: 2 })
    const stock = await client.keyDirectory.addPrekeys(phone.deviceId, [upload])
  },

  async readPrekeyPool({ client, phone }) {
    const { stock, reservations } = await client.keyDirectory.pool(phone.deviceId)
  },

  async revokeDevicePackage({ client, phone }) {
    await client.keyDirectory.revoke(phone.deviceId, 1)
  },

  async readDirectorySettings({ client }) {
    const { reserve, contacts } = await client.keyDirectory.settings()
  },

  async putDirectorySettings({ client, friend }) {
    await client.keyDirectory.configure({
      reserve: 'contacts',
      contacts: [{ did: friend.identity.did, passB64u: makeContactPass() }],
    })
  },

  async readLogList({ client }) {
    const logs = await client.transparency.logs()
    const list = await logs.list()
  },

  async readProof({ client, identity }) {
    const { seq, head } = await client.transparency.account(identity.did)
  },

  async auditLog({ client, identity }) {
    const { seq, head } = await client.transparency.follow(identity.did)
  },

  async readCheckpoint({ client }) {
    const { statement } = await client.transparency.checkpoint()
  },

  async attestAsGuardian({ client, friend }) {
    const subjectHash = 'a7'.repeat(48)
    const terms = { subjectHash, guardians: [friend.identity.did], threshold: 1 }
    const { requestId } = await client.guardians.open(await client.guardians.makeRequest(terms))
    const { state } = await friend.client.guardians.attest(requestId, subjectHash)
  },

  async readGuardianStatus({ client, friend }) {
    const terms = { subjectHash: 'a7'.repeat(48), guardians: [friend.identity.did], threshold: 1 }
    const { requestId } = await client.guardians.open(await client.guardians.makeRequest(terms))
    const { state } = await friend.client.guardians.status(requestId)
  },

  async readCurrentEpoch({ client }) {
    const { epoch } = await client.epochs.current()
  },

  async joinEpoch({ client, epoch }) {
    const { joinedAt } = await client.epochs.join()
  },

  async acknowledgeEpoch({ client, epoch }) {
    await client.epochs.join()
    const { acknowledgedAt } = await client.epochs.acknowledge(epoch)
  },
} satisfies Calls
