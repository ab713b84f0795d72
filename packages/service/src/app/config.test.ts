import { describe, expect, it, vi } from 'vitest'
import { ConfigError, limiterOf, oncePerEnv, readConfig, serviceConfigSchema } from './config.ts'

const GOOD = {
  ENVIRONMENT: 'local',
  PUBLIC_ORIGINS: ['https://a.example'],
  ALLOWED_ORIGINS: [],
  REALMS: ['https://a.example'],
  CORE_ORIGIN: 'https://a.example',
}

describe('readConfig', () => {
  it('reads what every Worker has; an unknown build says so', () => {
    expect(readConfig(serviceConfigSchema, { ...GOOD, OTHER: 1 })).toEqual({
      ...GOOD,
      JURISDICTION: 'none',
      LOG_SAMPLE: 1,
      OBJECT_HINT: '',
      REDIRECT_ORIGINS: [],
      BUILD_SHA: 'unknown',
      COMMIT: 'unknown',
    })
  })

  it.each([
    ['ENVIRONMENT', { ENVIRONMENT: '' }],
    ['ENVIRONMENT', { ENVIRONMENT: undefined }],
    ['PUBLIC_ORIGINS', { PUBLIC_ORIGINS: [] }],
    ['PUBLIC_ORIGINS.0', { PUBLIC_ORIGINS: ['canary'] }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'canary' }],
    ['CORE_ORIGIN', { CORE_ORIGIN: 'https://a.example/' }],
    ['JURISDICTION', { JURISDICTION: 'us' }],
    ['REALMS', { REALMS: undefined }],
    ['REALMS.0', { REALMS: [] }],
    ['REALMS.1', { REALMS: ['https://a.example', 'canary canary'] }],
    ['COMMIT', { COMMIT: { canary: 'canary' } }],
  ])('names %s and no value', (name, members) => {
    const read = () => readConfig(serviceConfigSchema, { ...GOOD, ...members })
    expect(read).toThrow(new ConfigError(`configuration: ${name}`))
    expect(read).not.toThrow('canary')
  })

  it('names every variable that is wrong', () => {
    expect(() => readConfig(serviceConfigSchema, {})).toThrow(
      'configuration: ENVIRONMENT, PUBLIC_ORIGINS, ALLOWED_ORIGINS, REALMS, CORE_ORIGIN',
    )
  })
})

describe('oncePerEnv', () => {
  it('computes once for each env, and again after a fault', () => {
    const create = vi.fn((env: { n: number }) => {
      if (create.mock.calls.length === 1) throw new Error('first')
      return { n: env.n }
    })
    const made = oncePerEnv(create)
    const [a, b] = [{ n: 1 }, { n: 1 }]
    expect(() => made(a)).toThrow('first')
    expect(made(a)).toBe(made(a))
    expect(made(b)).not.toBe(made(a))
    expect(create).toHaveBeenCalledTimes(3)
  })
})

describe('limiterOf', () => {
  it('asks the binding of the size of the quota, by service, counter and address', async () => {
    const limit = vi.fn(async () => ({ success: true }))
    const limiter = limiterOf('keys', { LIMIT_20: { limit } })
    expect(await limiter.take([{ tier: 'epoch', limit: 20, counter: 'tier:epoch' }], '192.0.2.1', 0)).toEqual({
      allowed: true,
    })
    expect(limit).toHaveBeenCalledWith({ key: 'keys:tier:epoch:192.0.2.1' })
  })
})
