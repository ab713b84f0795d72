import { readAllWorkerConfigs, requireOneRealm } from '@svc/platform/worker-config'
import { describe, expect, it } from 'vitest'

describe('the committed configurations', () => {
  it('have one list of realms', () => {
    const realms = readAllWorkerConfigs().map(({ options }) => options.bindings['REALMS'])
    expect(realms).toEqual(Array.from({ length: 8 }, () => ['http://localhost:8787']))
  })

  it('are refused if one Worker has another list', () => {
    const configs = readAllWorkerConfigs()
    const keys = configs.find(({ name }) => name === 'keys')
    if (keys) keys.options.bindings['REALMS'] = ['http://localhost:8787', 'https://core.old.example']
    expect(() => requireOneRealm(configs)).toThrow(
      'core and keys have different REALMS: give all Workers the same list',
    )
  })
})
