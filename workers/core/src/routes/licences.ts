import { activationCodeHash, licenceSchema, redeemSchema } from '@svc/protocol/licences'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../route.ts'

export const redeemCode = defineOperation({
  id: 'redeemCode',
  method: 'post',
  path: '/api/activation/redeem',
  summary: 'Redeem an activation code for an identity',
  description:
    'The credential is the code. It serves once; the same code for the same identity again gives the licence. A licence ' +
    'that runs is lengthened. Unknown, used and expired codes share one answer.',
  auth: 'none',
  limit: { counter: 'redeemCode', limit: 10 },
  body: redeemSchema,
  answer: { status: 200, description: 'The licence', schema: licenceSchema },
  errors: ['code_unusable', 'not_found', 'dependency_unavailable'],
})

export const verifyUser = defineOperation({
  id: 'verifyUser',
  method: 'post',
  path: '/api/user/verify',
  summary: 'Whether the caller has a licence',
  description: 'Takes no body. No licence is an answer and no error.',
  auth: 'assertion',
  answer: { status: 200, description: 'The licence, or none', schema: licenceSchema },
})

export const licenceRoutes = [
  coreRoute(redeemCode, async ({ body, deps, now }) => {
    const root = await deps.identities.root(body.did)
    if (!root || root.deactivated) throw new ApiError('not_found')
    const licence = await deps.licences.redeem(activationCodeHash(body.code), body.did, now)
    if (!licence) throw new ApiError('code_unusable')
    return licence
  }),
  coreRoute(verifyUser, ({ caller, deps, now }) => deps.licences.find(caller.did, now)),
]
