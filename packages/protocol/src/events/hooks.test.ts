import { describe, expect, it } from 'vitest'
import { addressFault } from './hooks.ts'

const rules = { ownHosts: ['core.example.org', 'docs.example.org'], isLocal: false }

describe('an address for a hook', () => {
  it.each([
    'https://hooks.example.org/svc',
    'https://example.org',
    'https://hooks.example.org:443/a?b=c',
    'https://notcore.example.org/',
    'https://xn--bcher-kva.example.net/',
    'https://HOOKS.Example.org/',
    'https://10.example.org/',
  ])('may be %s', (url) => {
    expect(addressFault(url, rules)).toBeNull()
  })

  it.each<[string, string]>([
    ['', 'malformed'],
    ['hooks.example.org', 'malformed'],
    ['https://', 'malformed'],
    ['https://hooks.example.org/ä', 'malformed'],
    ['https://hooks.example\t.org/', 'malformed'],
    ['https://hooks.example.org/\n', 'malformed'],
    ['https://a b.example.org/', 'malformed'],
    ['http://hooks.example.org/', 'not_https'],
    ['ftp://hooks.example.org/', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['https://hooks.example.org:8443/', 'port'],
    ['https://hooks.example.org:80/', 'port'],
    ['https://user@hooks.example.org/', 'credentials'],
    ['https://user:password@hooks.example.org/', 'credentials'],
    ['https://:password@hooks.example.org/', 'credentials'],
    ['https://hooks.example.org/#part', 'fragment'],
    ['https://hooks.example.org/#', 'fragment'],
    [`https://hooks.example.org/${'a'.repeat(500)}`, 'too_long'],
    [`https://hooks.example.org/${'{'.repeat(200)}`, 'too_long'],
    ['https://127.0.0.1/', 'ip_address'],
    ['https://8.8.8.8/', 'ip_address'],
    ['https://2130706433/', 'ip_address'],
    ['https://0x7f.1/', 'ip_address'],
    ['https://0177.0.0.1/', 'ip_address'],
    ['https://127.1/', 'ip_address'],
    ['https://127.0.0.1./', 'ip_address'],
    ['https://%31%32%37.0.0.1/', 'ip_address'],
    ['https://①②⑦.0.0.1/', 'malformed'],
    ['https://[::1]/', 'ip_address'],
    ['https://[::ffff:10.0.0.1]/', 'ip_address'],
    ['https://localhost/', 'private_name'],
    ['https://LOCALHOST/', 'private_name'],
    ['https://app.localhost/', 'private_name'],
    ['https://intranet/', 'private_name'],
    ['https://printer.local/', 'private_name'],
    ['https://db.internal/', 'private_name'],
    ['https://router.home.arpa/', 'private_name'],
    ['https://hidden.onion/', 'private_name'],
    ['https://host.test/', 'private_name'],
    ['https://hooks.example.org./', 'private_name'],
    ['https://core.example.org/', 'own_host'],
    ['https://CORE.example.org/', 'own_host'],
    ['https://a.b.docs.example.org/', 'own_host'],
  ])('is not %j: %s', (url, fault) => {
    expect(addressFault(url, rules)).toBe(fault)
  })

  it('may be this machine in a local deployment, and nowhere else', () => {
    const url = 'http://localhost:8080/hook'
    expect(addressFault(url, { ...rules, isLocal: true })).toBeNull()
    expect(addressFault(url, rules)).toBe('not_https')
    expect(addressFault('http://192.168.0.1/', { ...rules, isLocal: true })).toBe('not_https')
  })
})
