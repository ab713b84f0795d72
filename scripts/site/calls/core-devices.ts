import { Client, Device } from '@svc/client'
import type { Calls } from './given.ts'

export const inception = {
  async readInceptionHead({ client }) {
    const { sequence, hash } = await client.devices.head()
  },

  async listInceptionEvents({ client }) {
    const { devices, roster } = await client.devices.verify()
  },

  async attestDevice({ client, identity, origin }) {
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    await client.devices.attest(await device.acceptance(identity.did, client))
  },

  async confirmDevice({ core, origin, device }) {
    // On the device:
    const member = await Client.connect({ core, origin, device })
    await member.devices.confirm()
  },

  async changeDevice({ client, device }) {
    await client.devices.suspend(device.deviceId)
  },

  async batchDevices({ client, device }) {
    const head = await client.devices.head()
    const event = await client.devices.makeChange(device.deviceId, { event: 'suspend' }, head)
    await client.devices.batch([event])
  },

  async inceptOrg({ client, friend }) {
    const head = await client.devices.head()
    const statement = await client.organization.makeInception([friend.identity.did], 1, head)
    await client.organization.incept(statement, [await friend.client.organization.accept(statement)])
  },

  async rotateOfficers({ org, officer, friend }) {
    const head = await org.client.devices.head()
    const statement = await org.client.organization.makeRotation([friend.identity.did], 1, 2, head)
    await org.client.organization.rotateOfficers(statement, {
      approvals: [await officer.client.organization.approve(statement)],
      acceptances: [await friend.client.organization.accept(statement)],
    })
  },
} satisfies Calls

export const pairing = {
  async openPairing({ client }) {
    const { invitation, did, expiresAt } = await client.pairing.offer()
  },

  async readPairing({ client }) {
    const { invitation } = await client.pairing.offer()
    const { status, request } = await client.pairing.read(invitation)
  },

  async cancelPairing({ client }) {
    const { invitation } = await client.pairing.offer()
    await client.pairing.cancel(invitation)
  },

  async lookAtPairing({ client }) {
    const { invitation } = await client.pairing.offer()
    // On the new device:
    const { did } = await client.pairing.offerer(invitation)
  },

  async joinPairing({ client, origin }) {
    const { invitation } = await client.pairing.offer()
    // On the new device:
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(invitation, device)
  },

  async sealPairing({ client, origin }) {
    const { invitation } = await client.pairing.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(invitation, device)
    const attestation = await client.pairing.approve(invitation, confirmationCode)
    await client.pairing.seal(invitation, attestation, new TextEncoder().encode('welcome'))
  },

  async takeSealed({ client, origin }) {
    const { invitation } = await client.pairing.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.pairing.join(invitation, device)
    await client.pairing.seal(invitation, await client.pairing.approve(invitation, confirmationCode))
    // On the new device, which is a device of the identity from here on:
    const { device: attested } = await client.pairing.take(invitation, device)
  },
} satisfies Calls

export const authorization = {
  async openAuthorization({ client }) {
    const { invitation, did, expiresAt } = await client.authorization.offer()
  },

  async readAuthorization({ client }) {
    const { invitation } = await client.authorization.offer()
    const { status, request } = await client.authorization.read(invitation)
  },

  async cancelAuthorization({ client }) {
    const { invitation } = await client.authorization.offer()
    await client.authorization.cancel(invitation)
  },

  async lookAtAuthorization({ client }) {
    const { invitation } = await client.authorization.offer()
    // On the new device:
    const { did } = await client.authorization.offerer(invitation)
  },

  async joinAuthorization({ client, origin }) {
    const { invitation } = await client.authorization.offer()
    // On the new device:
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(invitation, device)
  },

  async grantAuthorization({ client, origin }) {
    const { invitation } = await client.authorization.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(invitation, device)
    const attestation = await client.authorization.approve(invitation, confirmationCode)
    await client.authorization.grant(invitation, attestation, new TextEncoder().encode('a key'))
  },

  async takeGrant({ client, origin }) {
    const { invitation } = await client.authorization.offer()
    const device = await Device.create({ origin, capabilities: ['chain:read'] })
    const { confirmationCode } = await client.authorization.join(invitation, device)
    const attestation = await client.authorization.approve(invitation, confirmationCode)
    await client.authorization.grant(invitation, attestation, new TextEncoder().encode('a key'))
    // On the new device:
    const { payload } = await client.authorization.take(invitation, device)
  },
} satisfies Calls
