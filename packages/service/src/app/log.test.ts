import { describe, expect, it } from 'vitest'
import { ConfigError } from './config.ts'
import { faultOf } from './log.ts'

describe('faultOf', () => {
  it('says what was thrown and where', () => {
    const fault = faultOf(new TypeError('x'))
    expect(fault).toMatch(/^TypeError \| at /)
    expect(fault).toContain('log.test')
  })

  it.each([
    ['one line', 'canary'],
    ['several lines', 'a\ncanary\n    at canary (canary.ts:1:1)\nb'],
    ['a pattern', '$& canary $1'],
  ])('leaves a message of %s out', (_, message) => {
    expect(faultOf(new Error(message))).not.toContain('canary')
  })

  it('omits anything but an Error', () => {
    expect(faultOf('canary')).toBe('not an Error')
    expect(faultOf(null)).toBe('not an Error')
  })

  it('says which variables a deployment lacks', () => {
    expect(faultOf(new ConfigError('configuration: ENVIRONMENT'))).toBe('configuration: ENVIRONMENT')
  })
})
