import { expect, test } from '@jest/globals';
import { TOOLS, type ToolDefinition } from './tool-catalog.contract.js';

/** Inputs (required ones with a !) and outputs of the specification's catalogue, and after a + what else a tool takes and gives. */
const CATALOG: Record<string, [inputs: string, outputs: string]> = {
  zk_prove_spatial: [
    'coordinates! parcelId altitude traceData + frame bounds',
    'verified starkRootCommitment primeField latencyMs securityBits paymentReceipt',
  ],
  generate_goldilocks_stark_proof: [
    'publicInputs! privateWitness contextDomain',
    'verified fieldPrimeHex executionTimeMs starkRootCommitment friQueryProofBytes securityLevelBits paymentReceipt',
  ],
  verify_acoustic_proximity_token: [
    'deviceId! challengeNonce! frequencyBand + recordingBase64',
    'pairingToken secdedSyndrome berNoiseFloorDb validUntil + assurance correctedWords doubleErrorWords snrDb',
  ],
  evaluate_spatial_parcel_fep: [
    'parcelId! elevationContour! soilConductivity',
    'variationalFreeEnergy homeostaticStatus optimalTrajectory + adaptingUpTo samples negLogEvidence',
  ],
  create_purchase_link: ['tier workEmail', 'checkoutUrl processorAccount fulfillment'],
  get_product_catalog: ['', 'catalog'],
  webgpu_snn_attractor: [
    'neuronCount',
    'activeSpikes branchingRatioSigma + neuronCount durationMs warmupMs meanRateHz sigmaInterval amplitude fitError oscillationHz timeConstantMs naiveRatio binMs seed backend adapter stateHash',
  ],
  sync_mesh_crdt: ['peerId', 'crdtStateHash meshNodesDiscovered + stateVector peerPresent'],
  arena_challenge: [
    'agentId challengePayload',
    'cognitiveScore starkProofHash satsAwarded + challenge grading award',
  ],
  m2m_license_contract: [
    'licenseeAgentId! contractId licensingTier capability streamIndex simulateFault + faultStep',
    'contractId status sagaName walHash walCount walEvents m2mLicenseToken starkExecutionProof settlementTreasury executionTimeMs',
  ],
};

test('the catalogue has the ten tools in their order', () => {
  expect(Object.keys(TOOLS)).toEqual(Object.keys(CATALOG));
});

test.each(Object.entries(CATALOG))(
  '%s takes and gives the fields of the specification',
  (name, [inputs, outputs]) => {
    const tool: ToolDefinition = TOOLS[name as keyof typeof TOOLS];
    const taken = Object.entries(tool.input.shape).map(([field, schema]) => {
      const optional = (schema as { safeParse(value: unknown): { success: boolean } }).safeParse(
        undefined,
      ).success;
      return optional ? field : `${field}!`;
    });
    expect(taken.join(' ')).toBe(inputs.replace('+ ', ''));
    expect(Object.keys(tool.output.shape).join(' ')).toBe(outputs.replace('+ ', ''));
  },
);

test('the defaults are those of the specification', () => {
  expect(TOOLS.create_purchase_link.input.parse({})).toEqual({ tier: 'developer_sdk' });
  expect(TOOLS.webgpu_snn_attractor.input.parse({})).toEqual({ neuronCount: 1_000_000 });
  expect(
    TOOLS.verify_acoustic_proximity_token.input.parse({ deviceId: 'd', challengeNonce: 'n' }),
  ).toMatchObject({
    frequencyBand: 'ultrasonic_19khz',
  });
  expect(TOOLS.m2m_license_contract.input.parse({ licenseeAgentId: 'a' })).toMatchObject({
    licensingTier: 'm2m_continuous_metered',
  });
});
