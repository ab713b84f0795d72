import { Client, Identity } from '@svc/client'
import { discover } from '@svc/client/functions'
import type { Calls } from './given.ts'

export const service = {
  async readHealth({ client }) {
    const { service: name, version } = await client.health()
  },

  async readCapabilities({ client }) {
    const { features } = await client.capabilities()
  },

  async readDiscovery({ core }) {
    const { document, pin } = await discover({ core })
  },

  async initGenesis({ core, origin }) {
    const client = await Client.connect({ core, identity: await Identity.create(), origin })
    const { did, hash } = await client.chain.genesis()
  },

  async readGenesis({ client, identity }) {
    const { block, hash } = await client.chain.readGenesis(identity.did)
  },
} satisfies Calls

export const chain = {
  async readRoot({ client, identity }) {
    const { publicKeyB64u, epoch } = await client.chain.root(identity.did)
  },

  async makeWatchToken({ client, identity }) {
    const token = await client.watch.make()
    const { devices, changes } = await client.watch.look(identity.did, token)
  },

  async listWatchTokens({ client }) {
    const tokens = await client.watch.tokens()
  },

  async withdrawWatchToken({ client }) {
    const { tokenHash } = await client.watch.make()
    const { worksUntil } = await client.watch.withdraw(tokenHash)
  },

  async appendBlock({ client }) {
    const payload = new TextEncoder().encode('hello')
    const { index, hash } = await client.chain.append({ payload, contentType: 'text/plain' })
  },

  async readHead({ client }) {
    const { index, hash } = await client.chain.head()
  },

  async listBlocks({ client }) {
    const { index } = await client.chain.verify()
    for await (const block of client.chain.blocks()) console.log(block.index)
  },

  async readPayload({ client }) {
    const { hash } = await client.chain.append({ payload: new TextEncoder().encode('hello') })
    const { bytes } = await client.chain.payload(hash)
  },

  async deactivate({ client }) {
    const { status } = await client.security.deactivate()
  },

  async activateRotation({ client, approved }) {
    const { status, epoch } = await client.rotation.activate(approved)
  },

  async activateRotationV2({ client, due }) {
    const { status, epoch } = await client.rotation.activate(due)
  },

  async readRotation({ client }) {
    const { active, latest } = await client.rotation.current()
  },

  async freezeRotation({ client, identity }) {
    const request = await client.rotation.makeRequest(await identity.successor(), { version: 1 })
    const { rotationId } = await client.rotation.request(request)
    const { status } = await client.rotation.freeze(rotationId)
  },

  async cosignRotation({ client, identity, cosigner }) {
    const request = await client.rotation.makeRequest(await identity.successor(), { version: 2 })
    const { cosignatures } = await cosigner.rotation.cosign(await client.rotation.request(request))
  },

  async rehearseRotation({ client, identity }) {
    const { prospects } = await client.rotation.rehearse(await identity.successor(), { version: 1 })
  },

  async readKeyHistory({ client, identity }) {
    const keys = await client.keyHistory.of(identity.did)
  },
} satisfies Calls

export const state = {
  async readSyncStatus({ client }) {
    const status = await client.chain.syncStatus()
  },

  async readHold({ client }) {
    const hold = await client.security.hold()
  },

  async placeHold({ client }) {
    const hold = await client.security.placeHold()
  },

  async liftHold({ client }) {
    await client.security.placeHold()
    const hold = await client.security.liftHold()
  },

  async readEvents({ client }) {
    const { events, place } = await client.events.read()
  },

  async issueEventTicket({ client }) {
    // Something happens in a second:
    setTimeout(() => void client.security.placeHold(), 1_000)
    // Gets a ticket, opens the socket with it, and reads the feed when the socket tells:
    for await (const { events } of client.events.watch()) {
      console.log(events.map(({ kind }) => kind))
      break
    }
  },

  async openEventSocket({ client }) {
    // Something happens in a second:
    setTimeout(() => void client.security.placeHold(), 1_000)
    // Gets a ticket, opens the socket with it, and reads the feed when the socket tells:
    for await (const { events } of client.events.watch()) {
      console.log(events.map(({ kind }) => kind))
      break
    }
  },

  async createEventHook({ client }) {
    const { hookId, status } = await client.events.addHook('https://hooks.example.org/svc')
  },

  async listEventHooks({ client }) {
    const hooks = await client.events.hooks()
  },

  async verifyEventHook({ client, receiver }) {
    const { hookId } = await client.events.addHook(receiver)
    const { status } = await client.events.verifyHook(hookId)
  },

  async deleteEventHook({ client }) {
    const { hookId } = await client.events.addHook('https://hooks.example.org/svc')
    await client.events.deleteHook(hookId)
  },
} satisfies Calls
