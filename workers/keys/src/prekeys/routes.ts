import { didSchema } from '@svc/protocol/base/identity'
import { directorySettingsSchema } from '@svc/protocol/keys/reserving'
import { defineOperation } from '@svc/service'
import * as z from 'zod'
import { keysRoute } from '../service.ts'

const account = z.strictObject({ accountDid: didSchema })

export const readDirectorySettings = defineOperation({
  id: 'readDirectorySettings',
  method: 'get',
  path: '/api/key-directory/{accountDid}/settings',
  summary: 'Read who may reserve prekeys of an account, as its owner',
  description:
    'A new account has `anyone`, without contacts. `contacts` holds hashes and no DIDs: compute the tag of an ' +
    'identity and its pass to see whether it is one of them. At most 2,000.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'prekeys:write',
  owner: 'accountDid',
  params: account,
  answer: { status: 200, description: 'The settings', schema: directorySettingsSchema },
  errors: ['dependency_unavailable'],
})

export const putDirectorySettings = defineOperation({
  id: 'putDirectorySettings',
  method: 'put',
  path: '/api/key-directory/{accountDid}/settings',
  summary: 'Say who may reserve prekeys of an account, as its owner',
  description:
    'Replaces the settings, in effect when this returns. While there are contacts, a quarter of every pool is kept for ' +
    'them. To those who may not reserve, a pool looks empty. Idempotent.',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'root',
  owner: 'accountDid',
  params: account,
  body: directorySettingsSchema,
  answer: { status: 200, description: 'The settings', schema: directorySettingsSchema },
  errors: ['dependency_unavailable'],
})

export const prekeyRoutes = [
  keysRoute(readDirectorySettings, ({ params: { accountDid }, deps }) => deps.prekeys.settings(accountDid)),
  keysRoute(putDirectorySettings, ({ params: { accountDid }, body, deps }) => deps.prekeys.configure(accountDid, body)),
]
