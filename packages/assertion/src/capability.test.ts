import { describe, expect, it } from 'vitest'
import { capabilityOf, listedRoutes } from './capability.ts'

describe('capabilityOf', () => {
  it.each([
    ['core', 'POST', '/api/chain/append', 'chain:append'],
    ['core', 'GET', '/api/chain/head', 'chain:read'],
    ['core', 'GET', '/api/chain/blocks', 'chain:read'],
    ['core', 'GET', '/api/chain/payload/{blockId}', 'chain:read'],
    ['core', 'GET', '/api/sync/status', 'account:read'],
    ['core', 'POST', '/api/headers/prepare', 'headers:prepare'],
    ['core', 'POST', '/api/chain/rotation/v2/activate', 'rotation:request'],
    ['did', 'POST', '/api/rotation/request', 'rotation:request'],
    ['core', 'GET', '/api/inbox/{did}', 'inbox:read'],
    ['core', 'POST', '/api/inbox/{did}/{msgId}/read', 'inbox:read'],
    ['core', 'DELETE', '/api/inbox/{did}/{msgId}', 'inbox:delete'],
    ['core', 'POST', '/api/security/hold', 'any'],
    ['core', 'GET', '/api/security/hold', 'any'],
    ['core', 'POST', '/api/chain/rotation/freeze', 'any'],
    ['core', 'POST', '/api/chain/rotation/cosign', 'any'],
    ['core', 'POST', '/api/chain/rotation/activate', 'rotation:request'],
    ['core', 'GET', '/api/chain/rotation/current', 'account:read'],
    ['core', 'POST', '/api/inception/head', 'account:read'],
    ['pay', 'POST', '/pay/intent', 'payments:write'],
    ['pay', 'GET', '/entitlement', 'quota:read'],
    ['pay', 'POST', '/quota/consume', 'quota:consume'],
    ['pay', 'GET', '/quota', 'quota:read'],
    ['core', 'GET', '/api/inception/events', 'account:read'],
    ['did', 'GET', '/api/rotation/request', 'account:read'],
    ['did', 'POST', '/api/rotation/activated', 'rotation:request'],
  ])('%s %s %s needs %s', (service, method, template, capability) => {
    expect(capabilityOf(service, method, template)).toBe(capability)
  })

  it.each([
    ['did', 'POST', '/1.0/register'],
    ['core', 'POST', '/api/security/hold/lift'],
    ['core', 'POST', '/api/inception/device'],
    ['core', 'POST', '/api/inception/device-event'],
    ['core', 'POST', '/api/inception/device-batch'],
    ['core', 'POST', '/api/inception/org'],
    ['core', 'POST', '/api/chain/rotation/rehearse'],
    ['core', 'POST', '/api/pair/offer'],
    ['core', 'GET', '/api/pair/offer/{code}'],
    ['core', 'DELETE', '/api/pair/offer/{code}'],
    ['core', 'POST', '/api/pair/seal'],
    ['core', 'POST', '/api/authorize/offer'],
    ['core', 'GET', '/api/authorize/offer/{code}'],
    ['core', 'DELETE', '/api/authorize/offer/{code}'],
    ['core', 'POST', '/api/authorize/grant'],
    ['keys', 'POST', '/api/devices/packages'],
    ['provenance', 'POST', '/api/capsules'],
    ['pay', 'GET', '/entitlements'],
    ['core', 'GET', '/api/chain/append'],
    ['core', 'post', '/api/chain/append'],
    ['core', 'GET', '/api/chain/payload/7'],
    ['pay', 'POST', '/api/chain/append'],
    ['core', 'POST', '/api/chain/append/'],
    ['core', '', ''],
    ['__proto__', '', ''],
    ['constructor', '', ''],
  ])('lets no device use %s %s %s', (service, method, template) => {
    expect(capabilityOf(service, method, template)).toBe('root')
  })
})

describe('listedRoutes', () => {
  it('lists the rows of one service, those that only the root key may use among them', () => {
    expect(listedRoutes('did')).toContain('POST /1.0/register')
    expect(listedRoutes('core')).toContain('POST /api/chain/append')
    expect(listedRoutes('core')).toContain('POST /api/security/hold/lift')
    expect(listedRoutes('core').filter((route) => !/^(?:GET|POST|PUT|DELETE) \/api\//.test(route))).toEqual([])
    expect(listedRoutes('consent')).toEqual([])
    expect(listedRoutes('cor')).toEqual([])
  })
})
