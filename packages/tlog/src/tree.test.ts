import { fromHex, toHex } from '@svc/protocol/base/hash'
import { MerkleLog } from '@svc/protocol/merkle/log'
import { describe, expect, it } from 'vitest'
import { SHA256_TREE } from './tree.ts'

const { leafHash, merkleRoot, inclusionProof, verifyInclusion, consistencyProof, verifyConsistency } = SHA256_TREE

/** The tests of RFC 6962 in google/certificate-transparency, also in transparency-dev/merkle. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const PATH_OF_0 = [
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
]
const PROOF_OF_2_IN_5 = [
  '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
]
const leaves = LEAVES.map((hex) => leafHash(hex === '' ? new Uint8Array() : fromHex(hex)))
const rootOf = (size: number) => fromHex(ROOTS[size] ?? '')

describe('SHA-256 tree', () => {
  it('has the published roots at every size', () => {
    expect(ROOTS.map((_, size) => toHex(merkleRoot(leaves.slice(0, size))))).toEqual(ROOTS)
  })

  it('has the published proofs, and verifies them', () => {
    expect(inclusionProof(leaves, 0).map(toHex)).toEqual(PATH_OF_0)
    expect(verifyInclusion(leaves[0]!, 0, 8, PATH_OF_0.map(fromHex), rootOf(8))).toBe(true)
    expect(consistencyProof(leaves.slice(0, 5), 2).map(toHex)).toEqual(PROOF_OF_2_IN_5)
    expect(verifyConsistency(2, rootOf(2), 5, rootOf(5), PROOF_OF_2_IN_5.map(fromHex))).toBe(true)
    expect(verifyConsistency(2, rootOf(2), 6, rootOf(6), PROOF_OF_2_IN_5.map(fromHex))).toBe(false)
    expect(verifyConsistency(2, rootOf(3), 5, rootOf(5), PROOF_OF_2_IN_5.map(fromHex))).toBe(false)
  })

  it('is the same when nodes are stored', () => {
    const nodes = new Map<string, Uint8Array>()
    const log = new MerkleLog((level, index) => nodes.get(`${level}/${index}`)!, SHA256_TREE)
    for (const [size, leaf] of leaves.entries())
      for (const { level, index, hash } of log.append(size, leaf)) nodes.set(`${level}/${index}`, hash)
    expect(ROOTS.map((_, size) => toHex(log.root(size)))).toEqual(ROOTS)
    expect(log.consistency(2, 5).map(toHex)).toEqual(PROOF_OF_2_IN_5)
    expect(log.inclusion(0, 8).map(toHex)).toEqual(PATH_OF_0)
  })
})
