import { codeHash } from '@svc/protocol/pay/codes'
import { licenceSchema, redeemSchema } from '@svc/protocol/pay/licences'
import { ApiError, defineOperation } from '@svc/service'
import { coreRoute } from '../service.ts'

export const redeemCode = defineOperation({
  id: 'redeemCode',
  method: 'post',
  path: '/api/activation/redeem',
  summary: 'Redeem an activation code for an identity',
  description:
    'The code is the credential and works once; for the identity that redeemed it, it returns the licence. Its time ' +
    'starts when other codes and passes of that tier have ended. Unknown, used and expired codes share one answer.',
  auth: 'none',
  window: { counter: 'redeem-code', limit: 10, seconds: 60, protects: 'guess' },
  body: redeemSchema,
  answer: { status: 200, description: 'The licence', schema: licenceSchema },
  errors: ['code_unusable', 'not_found', 'dependency_unavailable'],
})

export const verifyUser = defineOperation({
  id: 'verifyUser',
  method: 'post',
  path: '/api/user/verify',
  summary: 'Read the tier that the caller has at pay, and its end',
  description:
    'Takes no body. Payments, codes, licences and plans of organizations count; without any of them the answer is 200 ' +
    'with `licensed` false.',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'account:read',
  answer: { status: 200, description: 'The licence, or none', schema: licenceSchema },
  errors: ['dependency_unavailable'],
})

export const licenceRoutes = [
  coreRoute(redeemCode, async ({ body, deps }) => {
    const identity = await deps.identities.ask(body.did, async (object) => object.read())
    if (identity?.deactivatedAt !== null) throw new ApiError('not_found')
    const licence = await deps.licences.redeem(codeHash(body.code), body.did)
    if (!licence) throw new ApiError('code_unusable')
    return licence
  }),
  coreRoute(verifyUser, ({ caller, deps }) => deps.licences.find(caller.did)),
]
