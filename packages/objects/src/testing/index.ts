/** Upgrading an object of every class from every step of its schemas. */
export { describeUpgrades, type SeededObject, seeded } from './upgrades.ts'
