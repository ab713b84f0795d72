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
    const { exportKey } = await person.register(grant ?? '', `carol-${Date.now()}`, 'correct horse battery staple')
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
