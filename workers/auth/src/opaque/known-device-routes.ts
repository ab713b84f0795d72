import {
  devicesForgottenSchema,
  knownDeviceListSchema,
  knownDeviceParamsSchema,
} from '@svc/protocol/auth/account-pages'
import { SESSION_HEADER } from '@svc/protocol/auth/session'
import { ApiError, defineOperation } from '@svc/service'
import { authRoute } from '../service.ts'
import { accountOf } from '../sessions/routes.ts'

export const listKnownDevices = defineOperation({
  id: 'listKnownDevices',
  method: 'get',
  path: '/api/auth/devices',
  summary: 'List the devices that signed in with the password, newest first',
  description:
    'At most eight. The password attempts of a known device are counted separately, so that nobody can lock it out; it ' +
    'cannot sign in by that. `label` is what the login named it.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'The devices', schema: knownDeviceListSchema },
  errors: ['dependency_unavailable'],
})

export const forgetKnownDevice = defineOperation({
  id: 'forgetKnownDevice',
  method: 'delete',
  path: '/api/auth/devices/{deviceId}',
  summary: 'Forget a known device',
  description:
    'Its password attempts count with those of everyone else from then on. Sessions are not affected: end them too if the ' +
    'device was lost. The device of another account is 404.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  params: knownDeviceParamsSchema,
  answer: { status: 200, description: 'Forgotten', schema: devicesForgottenSchema },
  errors: ['not_found', 'dependency_unavailable'],
})

export const forgetKnownDevices = defineOperation({
  id: 'forgetKnownDevices',
  method: 'delete',
  path: '/api/auth/devices',
  summary: 'Forget all known devices',
  description: 'Of this account. The next login with the password makes its device known again.',
  auth: 'token',
  tokenHeader: SESSION_HEADER,
  answer: { status: 200, description: 'How many were forgotten', schema: devicesForgottenSchema },
  errors: ['dependency_unavailable'],
})

export const knownDeviceRoutes = [
  authRoute(listKnownDevices, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    return { devices: await deps.devices.list(accountId, now) }
  }),
  authRoute(forgetKnownDevice, async ({ token, params, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    const forgotten = await deps.devices.forget(accountId, params.deviceId)
    if (forgotten === 0) throw new ApiError('not_found')
    return { forgotten }
  }),
  authRoute(forgetKnownDevices, async ({ token, deps, now }) => {
    const { accountId } = await accountOf(deps, token, now)
    return { forgotten: await deps.devices.forget(accountId, null) }
  }),
]
