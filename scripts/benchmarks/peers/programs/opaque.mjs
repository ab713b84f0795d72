/** The server of @serenity-kit/opaque, and a client that makes its messages. */
import * as opaque from '@serenity-kit/opaque'
import { answer } from './answer.mjs'

const password = 'correct horse battery staple'
const userIdentifier = 'person'
const keyStretching = { 'argon2id-custom': { iterations: 1, memory: 64, parallelism: 1 } }
let serverSetup
let registrationRecord

answer({
  async start() {
    await opaque.ready
    serverSetup = opaque.server.createSetup()
    const { clientRegistrationState, registrationRequest } = opaque.client.startRegistration({ password })
    const { registrationResponse } = opaque.server.createRegistrationResponse({
      serverSetup,
      userIdentifier,
      registrationRequest,
    })
    registrationRecord = opaque.client.finishRegistration({
      password,
      registrationResponse,
      clientRegistrationState,
      keyStretching,
    }).registrationRecord
  },
  /** Milliseconds that the server takes for the first message of this many logins. */
  logIn({ count }) {
    const requests = Array.from({ length: count }, () => opaque.client.startLogin({ password }).startLoginRequest)
    const startedAt = performance.now()
    for (const startLoginRequest of requests)
      opaque.server.startLogin({ serverSetup, userIdentifier, registrationRecord, startLoginRequest })
    return performance.now() - startedAt
  },
})
