import { expect, it } from 'vitest'
import { nativeSupports } from './subtle.ts'

it('treats a runtime without SubtleCrypto.supports as lacking the algorithms', () => {
  expect(nativeSupports('ML-DSA-65', {})).toBe(false)
  expect(nativeSupports('ML-DSA-65', { SubtleCrypto: {} })).toBe(false)
})

it('checks every operation by the name of the algorithm', () => {
  const asked: string[] = []
  const supports = (operation: string, algorithm: string) => asked.push(`${algorithm} ${operation}`) > 0
  expect(nativeSupports('ML-DSA-65', { SubtleCrypto: { supports } })).toBe(true)
  expect(nativeSupports('ML-KEM-768', { SubtleCrypto: { supports } })).toBe(true)
  expect(nativeSupports('MLKEM768-X25519', { SubtleCrypto: { supports } })).toBe(true)
  expect(nativeSupports('SHA3-384', { SubtleCrypto: { supports } })).toBe(true)
  expect(asked).toEqual([
    'ML-DSA-65 importKey',
    'ML-DSA-65 sign',
    'ML-DSA-65 verify',
    'ML-KEM-768 importKey',
    'ML-KEM-768 encapsulateBits',
    'ML-KEM-768 decapsulateBits',
    'MLKEM768-X25519 importKey',
    'MLKEM768-X25519 encapsulateBits',
    'MLKEM768-X25519 decapsulateBits',
    'SHA3-384 digest',
  ])
})

it.each(['importKey', 'sign', 'verify'])('is false if only %s is missing', (missing) => {
  const supports = (operation: string) => operation !== missing
  expect(nativeSupports('ML-DSA-65', { SubtleCrypto: { supports } })).toBe(false)
})
