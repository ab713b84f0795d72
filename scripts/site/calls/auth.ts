import type { Calls } from './given.ts'

export const auth = {
  async verifyChallenge({ person }) {
    const { grant } = await person.challenge('XXXX.DUMMY.TOKEN.XXXX', 'register')
  },

  async beginOpaqueRegistration({ person }) {
    const { grant } = await person.challenge('XXXX.DUMMY.TOKEN.XXXX', 'register')
    await person.register(grant ?? '', `carol-${Date.now()}`, 'correct horse battery staple')
  },

  async finishOpaqueRegistration({ person }) {
    const { grant } = await person.challenge('XXXX.DUMMY.TOKEN.XXXX', 'register')
    const { outcome } = await person.register(grant ?? '', `carol-${Date.now()}`, 'correct horse battery staple')
  },

  async beginOpaqueLogin({ person, name }) {
    const entered = await person.logIn(name, 'correct horse battery staple')
  },

  async finishOpaqueLogin({ person, name }) {
    const entered = await person.logIn(name, 'correct horse battery staple')
    const method = (await entered?.session.read())?.method
  },

  async listPasskeys({ session }) {
    const passkeys = await session.passkeys()
  },

  async listSessions({ session }) {
    const sessions = await session.sessions()
  },

  async endOtherSessions({ session }) {
    const ended = await session.endOtherSessions()
  },

  async endSessionById({ session }) {
    for (const { sessionId, isCurrent } of await session.sessions()) {
      if (!isCurrent) await session.endSession(sessionId)
    }
    await session.endSession((await session.sessions())[0]?.sessionId ?? '')
  },

  async listKnownDevices({ session }) {
    const devices = await session.knownDevices()
  },

  async forgetKnownDevice({ session }) {
    for (const { deviceId } of await session.knownDevices()) await session.forgetDevice(deviceId)
  },

  async forgetKnownDevices({ session }) {
    const forgotten = await session.forgetDevices()
  },

  async readSession({ session }) {
    const { method, expiresAt } = await session.read()
  },

  async endSession({ session }) {
    await session.signOut()
  },

  async deleteAccount({ session }) {
    await session.deleteAccount()
  },

  async grantRegistration({ session }) {
    const grant = await session.grant()
  },
} satisfies Calls
