import type { Calls } from './given.ts'

export const vault = {
  async exportNotes({ client }) {
    await client.notes.put({ title: 'Recipe', body: 'eggs' })
    for await (const item of client.notes.export()) console.log(item.kind)
  },

  async collectNotes({ client }) {
    const { waiting } = await client.notes.collect()
  },

  async rebuildNotes({ client }) {
    const { differences } = await client.notes.rebuild({ dryRun: true })
  },

  async appendNote({ client }) {
    const note = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    const { version } = await client.notes.put({ title: 'Recipe', body: 'eggs and milk' }, note)
  },

  async appendNotes({ client }) {
    const written = await client.notes.putMany([{ body: 'eggs' }, { body: 'milk' }])
    const refused = written.filter(({ ok }) => !ok)
  },

  async listNotes({ client }) {
    const { notes, cursor } = await client.notes.list()
  },

  async readStorage({ client }) {
    const { bytesUsed, objectCount } = await client.notes.storage()
  },

  async readBlobRefHead({ client, note }) {
    const [file] = note.attachments
    const isStored = file && (await client.notes.has(file.cipherHash))
  },

  async readNote({ client }) {
    const { noteId } = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    const { title, body } = await client.notes.get(noteId)
  },

  async deleteNote({ client }) {
    const { noteId } = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    const receipt = await client.notes.delete(noteId)
  },

  async listNoteVersions({ client }) {
    const { noteId } = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    const versions = await client.notes.history(noteId)
  },

  async readNoteVersion({ client }) {
    const note = await client.notes.put({ title: 'Recipe', body: 'eggs' })
    await client.notes.put({ title: 'Recipe', body: 'eggs and milk' }, note)
    const { body } = await client.notes.get(note.noteId, 1)
  },

  async putAttachment({ client }) {
    const note = await client.notes.put({ title: 'Film', body: 'raw material' })
    const bytes = crypto.getRandomValues(new Uint8Array(1_000))
    const { attachments } = await client.notes.attach(note, { name: 'film', type: 'video/mp4', bytes })
  },

  async readAttachment({ client, note }) {
    const [file] = note.attachments
    const bytes = file && (await client.notes.attachment(note.noteId, file))
  },
} satisfies Calls

export const inbox = {
  async requestContact({ client, assetId }) {
    const challengeToken = 'XXXX.DUMMY.TOKEN.XXXX'
    const contact = await client.contact.request({ assetId, fromEmail: 'grace@example.org', challengeToken })
  },

  async resendOtp({ client, assetId }) {
    const challengeToken = 'XXXX.DUMMY.TOKEN.XXXX'
    const contact = await client.contact.request({ assetId, fromEmail: 'grace@example.org', challengeToken })
    await new Promise((resolve) => setTimeout(resolve, contact.resendAfter - Date.now()))
    const { sendsLeft } = await client.contact.resend(contact)
  },

  async verifyOtp({ client, assetId, otp }) {
    const challengeToken = 'XXXX.DUMMY.TOKEN.XXXX'
    const contact = await client.contact.request({ assetId, fromEmail: 'grace@example.org', challengeToken })
    const draft = { name: 'Grace', email: 'grace@example.org', subject: 'Your picture', message: 'May I print it?' }
    const envelope = await client.contact.seal(contact, draft)
    const { deliveredAt } = await client.contact.verify(contact, await otp(assetId), envelope)
  },

  async readInboxSettings({ client }) {
    const acceptsFrom = await client.inbox.acceptsFrom()
  },

  async putInboxSettings({ client }) {
    await client.inbox.acceptFrom('contacts')
  },

  async listInbox({ client }) {
    const { messages, unread } = await client.inbox.list()
    for (const message of messages) console.log((await client.inbox.open(message)).subject)
  },

  async markMessageRead({ client, msgId }) {
    const readAt = await client.inbox.read(msgId)
  },

  async deleteMessage({ client, msgId }) {
    await client.inbox.delete(msgId)
  },
} satisfies Calls
