/** Words that invented companies, people and streets are made of. None stands for a real one. */
export const COMPANY_HEADS = [
  'Alder Ridge',
  'Bluestem',
  'Copper Basin',
  'Dunmore & Pike',
  'Eastgate',
  'Fenwick',
  'Granite Fork',
  'Harbor Light',
  'Ironwood',
  'Juniper Hill',
  'Kestrel',
  'Larkspur',
  'Mill Creek',
  'Northfield',
  'Oak Hollow',
  "O'Dell Brothers",
  'Pinecrest',
  'Quarry Lane',
  'Redwater',
  'Saltmarsh',
] as const;
export const TRADES = [
  'Electric',
  'Roofing',
  'Mechanical',
  'Landscaping',
  'Masonry',
  'Plumbing',
  'Steel Erectors',
  'Janitorial Services',
  'Drywall',
  'Paving',
] as const;
export const LEGAL_FORMS = ['LLC', 'Inc.', 'Co.', 'Corp.', 'L.P.'] as const;
export const HOLDER_TAILS = [
  'Builders, Inc.',
  'Construction Group LLC',
  'Development Partners',
  'General Contractors, LLC',
  'Property Management Co.',
] as const;
export const INSURER_HEADS = [
  'Ambervale',
  'Brightwater',
  'Cinder Peak',
  'Driftstone',
  'Elmhaven',
  'Foxglove',
  'Grayling',
  'Hollowell',
  'Inglewick',
  'Jarrowdale',
] as const;
export const INSURER_TAILS = [
  'Casualty Company',
  'Mutual Insurance Company',
  'Indemnity Co.',
  'Fire & Marine Insurance Co.',
  'Specialty Insurance Company',
] as const;
export const FIRST_NAMES = [
  'Avery',
  'Blake',
  'Casey',
  'Dana',
  'Ellis',
  'Frankie',
  'Jordan',
  'Morgan',
] as const;
export const LAST_NAMES = [
  'Abernathy',
  'Brandt',
  'Castellano',
  'Duvall',
  'Eriksen',
  'Fairweather',
  'Guerrero',
  'Holloway',
] as const;
export const STREETS = [
  'Tannery Road',
  'Foundry Street',
  'W. Orchard Ave, Suite 210',
  'County Road 14',
  'Lighthouse Blvd',
  'Old Mill Lane',
] as const;
export const PLACES = [
  ['Cedar Falls', 'OH', '44'],
  ['Port Ellis', 'WA', '98'],
  ['Grand Mesa', 'CO', '81'],
  ['Stonebrook', 'PA', '17'],
  ['Lake Marion', 'TX', '75'],
  ['New Dorset', 'NY', '12'],
] as const;
