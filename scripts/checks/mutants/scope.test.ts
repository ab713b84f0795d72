import { describe, expect, it } from 'vitest'
import { mutatedFiles } from './scope.ts'

describe('the files that are mutated', () => {
  const files = mutatedFiles()

  it.each([
    'packages/protocol/src/chain/rotation.ts',
    'packages/assertion/src/verify.ts',
    'workers/core/src/rotation/rules.ts',
  ])('has %s', (file) => expect(files).toContain(file))

  it.each([
    ['tests', 'packages/assertion/src/verify.test.ts'],
    ['types alone', 'packages/assertion/src/requirement.ts'],
    ['what only exports others', 'packages/assertion/src/index.ts'],
  ])('leaves out %s', (_, file) => expect(files).not.toContain(file))
})
