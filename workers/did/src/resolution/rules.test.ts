import { describe, expect, it } from 'vitest'
import { checkIdentifier, negotiate } from './rules.ts'

describe('checkIdentifier', () => {
  it.each([
    [`did:svc:${'A'.repeat(32)}`, null],
    [`did:svc:${'A'.repeat(31)}`, 'INVALID_DID'],
    [`did:svc:${'A'.repeat(33)}`, 'INVALID_DID'],
    [`did:svc:${'A'.repeat(31)}=`, 'INVALID_DID'],
    [`did:svc:${'A'.repeat(32)}#root-0`, 'INVALID_DID'],
    ['did:web:example.com', 'METHOD_NOT_SUPPORTED'],
    ['did:SVC:x', 'INVALID_DID'],
    ['did:web:', 'INVALID_DID'],
    ['did:web:a:', 'INVALID_DID'],
    ['did:web:a%3A8080:b', 'METHOD_NOT_SUPPORTED'],
    ['did:web:!<script>', 'INVALID_DID'],
    ['did:web:a/b', 'INVALID_DID'],
    ['nonsense', 'INVALID_DID'],
    ['xdid:web:example.com', 'INVALID_DID'],
    ['did:web:a%3', 'INVALID_DID'],
    ['did:web:a%3:b', 'INVALID_DID'],
    ['did:web:a%3g', 'INVALID_DID'],
    ['did:web:a%3A', 'METHOD_NOT_SUPPORTED'],
    ['did:web:a%3A:b', 'METHOD_NOT_SUPPORTED'],
    ['did:web::b', 'METHOD_NOT_SUPPORTED'],
  ])('says of %s: %s', (did, fault) => {
    expect(checkIdentifier(did)).toBe(fault)
  })
})

describe('negotiate', () => {
  it.each([
    [undefined, 'application/did-resolution'],
    ['*/*', 'application/did-resolution'],
    ['application/*;q=0.5', 'application/did-resolution'],
    ['application/did', 'application/did'],
    ['application/did+ld+json', 'application/did+ld+json'],
    ['application/did;q=0.2, application/did-resolution;q=0.9', 'application/did-resolution'],
    ['text/html, */*;q=0.1', 'application/did-resolution'],
    ['application/json', 'application/did-resolution'],
    ['application/did+json', 'application/did'],
    ['application/ld+json', 'application/did+ld+json'],
    ['application/ld+json;profile="https://www.w3.org/ns/did/v1"', 'application/did+ld+json'],
    ['application/json;q=0.5, application/did+json', 'application/did'],
    ['application/did;q=0, application/did+json;q=0.3', 'application/did'],
    ['application/json;q=0', null],
    ['text/html', null],
    ['image/*, text/plain', null],
    ['application/did;q=0', null],
    ['application/did-resolution;q=0, */*', 'application/did'],
    ['*/*;q=abc', 'application/did-resolution'],
    ['', 'application/did-resolution'],
    ['  ', 'application/did-resolution'],
    ['application/did;xq=0', 'application/did'],
    ['application/did;q=0x', 'application/did'],
    ['application/did;q=0.000, application/did-resolution;q=0.001', 'application/did-resolution'],
    ['application/did;q=0.9, application/did-resolution;q=0.123', 'application/did'],
    ['application/did;q=0.0001', 'application/did'],
    ['application/did;q=0.25, application/did-resolution;q=0.75', 'application/did-resolution'],
    ['application/did; Q=0', null],
    ['APPLICATION/DID', 'application/did'],
    ['application/did;q=0.5, application/*;q=0.1', 'application/did'],
  ])('answers Accept %s with %s', (accept, type) => {
    expect(negotiate(accept)).toBe(type)
  })
})
